import FerryCore

/// The lines of a response head, read leniently and written strictly.
struct HeadLines {
    private struct Field {
        var name: [UInt8]
        var value: [UInt8]
        /// Whether this line, or the one before it, ends with a bare line feed.
        var isBesideBareEnd: Bool

        var key: String { String(decoding: name, as: UTF8.self).lowercased() }
    }

    private var status: [UInt8]?
    private var fields: [Field] = []
    /// Number of lines with a bare line feed, and with CR and LF.
    private var bareEnds = 0
    private var fullEnds = 0

    /// Fields that determine the content or the trusted server. Damage in them is an error.
    private static let relied: Set<String> = [
        "connection", "content-digest", "content-encoding", "content-length", "content-range", "etag", "last-modified",
        "location", "proxy-authenticate", "repr-digest", "transfer-encoding", "www-authenticate",
    ]

    var hasBareEnds: Bool { bareEnds > 0 }

    mutating func read(_ head: Span<UInt8>) throws(HeadFault) {
        var line: [UInt8] = []
        var followsBareEnd = false
        for index in 0..<head.count {
            guard head[index] == RawHead.lineFeed else {
                line.append(head[index])
                continue
            }
            let isBare = line.last != RawHead.carriageReturn
            if isBare { bareEnds += 1 } else { fullEnds += 1 }
            if !isBare { line.removeLast() }
            try take(line, isBesideBareEnd: isBare || followsBareEnd)
            followsBareEnd = isBare
            line.removeAll(keepingCapacity: true)
        }
    }

    private mutating func take(_ line: [UInt8], isBesideBareEnd: Bool) throws(HeadFault) {
        guard status != nil else {
            status = line
            return
        }
        guard let first = line.first else { return }
        if Self.isSpace(first) {
            // A folded line continues the value of the line before it (RFC 9112 §5.2).
            guard let last = fields.indices.last else { throw HeadFault(text: "white space before its first field") }
            fields[last].value += [0x20] + Self.trimmed(line[...])
            fields[last].isBesideBareEnd = fields[last].isBesideBareEnd || isBesideBareEnd
            return
        }
        let name = line.prefix { $0 != UInt8(ascii: ":") }
        guard name.count < line.count, RequestFieldRule.isToken(String(decoding: name, as: UTF8.self)) else {
            throw HeadFault(text: "a line that is not a field")
        }
        fields.append(
            Field(
                name: Array(name), value: Self.trimmed(line[(name.count + 1)...]), isBesideBareEnd: isBesideBareEnd))
    }

    /// The head with CRLF line ends, without folds and control characters, with values in UTF-8, and with at most one
    /// framing field.
    ///
    /// - Parameter endsConnection: Whether the head states that the connection closes after this response, whatever the
    ///   fields say.
    func mended(endsConnection: Bool) throws(HeadFault) -> [UInt8] {
        let status = self.status ?? []
        guard !status.contains(0) else { throw HeadFault(text: "a NUL in its reason phrase") }
        var result = Self.withoutControls(status)
        var lengths: [String] = []
        var codings: [String] = []
        for field in fields {
            let key = field.key
            guard let value = try Self.value(of: field, key) else { continue }
            switch key {
            case "content-length": lengths.append(String(decoding: value, as: UTF8.self))
            case "transfer-encoding": codings.append(String(decoding: value, as: UTF8.self))
            case "connection" where endsConnection || hasBareEnds: continue
            default:
                result += "\r\n".utf8
                result += field.name
                result += ": ".utf8
                result += value
                continue
            }
            // Another recipient may read the line feed as part of a value and so miss the field.
            guard !field.isBesideBareEnd || fullEnds == 0 else {
                throw HeadFault(text: "a bare line feed beside its \(key) field")
            }
        }
        result += try Self.framing(lengths, codings).utf8
        if endsConnection { result += "\r\nConnection: close".utf8 }
        result += "\r\n\r\n".utf8
        return result
    }

    private static func framing(_ lengths: [String], _ codings: [String]) throws(HeadFault) -> String {
        switch try BodyFraming.stated(lengths: lengths, codings: codings) {
        case .length(let length): "\r\nContent-Length: \(length)"
        case .chunked: "\r\nTransfer-Encoding: chunked"
        case .untilClose, nil: ""
        }
    }

    /// The value in UTF-8 without control characters, or nil to drop the field.
    private static func value(of field: Field, _ key: String) throws(HeadFault) -> [UInt8]? {
        var value = trimmed(field.value[...])
        if value.contains(where: isControl) {
            // A cookie with a control character is invalid (RFC 6265 §4.1.1).
            if key == "set-cookie" { return nil }
            guard !relied.contains(key) else { throw HeadFault(text: "a control character in its \(key) field") }
            value = trimmed(withoutControls(value)[...])
        }
        if value.allSatisfy({ $0 < 0x80 }) || String(validating: value, as: UTF8.self) != nil { return value }
        // The bytes of a URL are sent back unchanged (RFC 3986 §2.1).
        if key == "location" { return value.flatMap { $0 < 0x80 ? [$0] : PercentEncoding.triplet($0) } }
        // Field values were ISO-8859-1 in earlier specifications (RFC 9110 §5.5).
        return value.flatMap { Array(String(Unicode.Scalar($0)).utf8) }
    }

    private static func withoutControls(_ bytes: [UInt8]) -> [UInt8] { bytes.map { isControl($0) ? 0x20 : $0 } }

    private static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 && byte != 0x09 || byte == 0x7F }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let rest = bytes.drop(while: isSpace)
        guard let last = rest.lastIndex(where: { !isSpace($0) }) else { return [] }
        return Array(rest[...last])
    }
}
