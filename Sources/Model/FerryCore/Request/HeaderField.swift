/// One field line of an HTTP head, with its original spelling (RFC 9110 §5).
package struct HeaderField: Hashable, Codable, Sendable {
    package var name: String
    package var value: String

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    /// Whether this field has the given name; field names ignore case (RFC 9110 §5.1).
    package func isNamed(_ other: String) -> Bool {
        // Names are ASCII: comparing them needs no new strings.
        name.utf8.count == other.utf8.count
            && zip(name.utf8, other.utf8).allSatisfy { $0 == $1 || Self.lowercased($0) == Self.lowercased($1) }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}

extension [HeaderField] {
    /// The value of a field. Several fields with one name are joined by commas (RFC 9110 §5.3).
    package func value(_ name: String) -> String? {
        var joined: String?
        for field in self where field.isNamed(name) {
            let value = field.value.trimmingFieldSpace
            joined = joined.map { "\($0), \(value)" } ?? value
        }
        return joined
    }
}

extension String {
    /// The text without leading and trailing spaces and tabs.
    package var trimmingFieldSpace: String {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        guard let first = utf8.first, let last = utf8.last, isSpace(first) || isSpace(last) else { return self }
        var slice = utf8[...]
        while let first = slice.first, isSpace(first) { slice.removeFirst() }
        while let last = slice.last, isSpace(last) { slice.removeLast() }
        return String(Substring(slice))
    }

    /// The media type of a `Content-Type` value, in lower case without parameters.
    package var mediaType: String {
        String(Substring(utf8.prefix { $0 != UInt8(ascii: ";") })).trimmingFieldSpace.lowercased()
    }
}
