package import FerryCore

/// An HTTP/1.1 response head that every codec reads alike.
package struct UnambiguousHead: Hashable, Sendable {
    package let status: StatusCode
    package let fields: [HeaderField]
    /// The length of the body, or nil if the fields state none.
    package let length: Int64?

    /// Reads a head with its empty line.
    ///
    /// - Returns: Nil for any other head: of another version, with a transfer coding, or with anything that
    ///   ``RawHead/mended(_:followsBareEnd:)`` would change.
    package init?(_ head: [UInt8]) {
        guard head.starts(with: "HTTP/1.1 ".utf8), RawHead.isPlain(head.span),
            let status = try? RawHead.status(head.span)
        else { return nil }
        var fields: [HeaderField] = []
        var length: Int64?
        for line in head.split(separator: RawHead.lineFeed).dropFirst() {
            // Every line ends with CR and LF.
            let line = line.dropLast()
            guard !line.isEmpty else { break }
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            let name = String(decoding: line[..<colon], as: UTF8.self)
            guard RequestFieldRule.isToken(name) else { return nil }
            let field = HeaderField(
                name: name, value: String(decoding: line[(colon + 1)...], as: UTF8.self).trimmingFieldSpace)
            if field.isNamed("Content-Length") {
                guard let stated = Int64(digits: field.value) else { return nil }
                length = stated
            }
            fields.append(field)
        }
        self.status = status
        self.fields = fields
        self.length = length
    }

    /// Whether the connection stays open after the response (RFC 9112 §9.3).
    package var isKeepAlive: Bool {
        !fields.contains { field in
            field.isNamed("Connection")
                && field.value.split(separator: ",").contains { String($0).trimmingFieldSpace.lowercased() == "close" }
        }
    }
}
