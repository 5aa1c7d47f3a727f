/// Parses many URLs into canonical form. Only the path and query are parsed if the previous URL had the same origin.
package struct HTTPURLReader: Sendable {
    /// A URL in canonical form, without userinfo.
    package struct Reading: Hashable, Sendable {
        package let origin: String
        /// The URL in UTF-8.
        package let bytes: [UInt8]
        package let credentials: Credentials?
    }

    /// Scheme and authority of the previous URL, as given and in canonical form.
    private var given: [UInt8] = []
    private var canonical: [UInt8] = []
    private var origin = ""

    package init() {}

    /// - Throws: The errors of `HTTPURL(parsing:)`.
    package mutating func read(_ text: ArraySlice<UInt8>) throws(ServiceError) -> Reading {
        if let rest = plainRest(of: text) {
            return Reading(origin: origin, bytes: canonical + rest, credentials: nil)
        }
        let url = try HTTPURL(parsing: String(decoding: text, as: UTF8.self))
        let origin = url.origin.description
        let bytes = Array(url.withoutUserinfo.string.utf8)
        if url.credentials == nil { remember(text, bytes, origin) }
        return Reading(origin: origin, bytes: bytes, credentials: url.credentials)
    }

    /// Path and query of a URL with the previous origin, if they are canonical already.
    private func plainRest(of text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard !given.isEmpty, text.count <= HTTPURL.maximumLength, text.starts(with: given) else { return nil }
        let rest = text.dropFirst(given.count)
        guard rest.first == Self.slash, canonical.count + rest.count <= HTTPURL.maximumLength else { return nil }
        var last: UInt8 = 0
        for byte in rest {
            guard Self.isPlain[Int(byte)], byte != Self.fullStop || last != Self.slash else { return nil }
            last = byte
        }
        return rest
    }

    private mutating func remember(_ text: ArraySlice<UInt8>, _ bytes: [UInt8], _ origin: String) {
        given = []
        guard let end = Self.endOfAuthority(text), let canonicalEnd = Self.endOfAuthority(bytes[...]) else { return }
        given = Array(text[..<end])
        canonical = Array(bytes[..<canonicalEnd])
        self.origin = origin
    }

    /// Position of the slash after the authority, or nil if there is none.
    private static func endOfAuthority(_ text: ArraySlice<UInt8>) -> Int? {
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")), colon + 3 <= text.endIndex else { return nil }
        guard text[colon + 1..<colon + 3].allSatisfy({ $0 == slash }) else { return nil }
        let rest = text[(colon + 3)...]
        // A query or fragment ends the authority, and a backslash may be taken for a slash.
        let end = rest.firstIndex { $0 == slash || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") || $0 == 0x5C }
        return end.flatMap { rest[$0] == slash ? $0 : nil }
    }

    /// Whether a byte is canonical in both path and query, or begins the query.
    private static let isPlain: [Bool] = (0...UInt8.max).map { byte in
        byte.isUnreservedOrSubDelimiter || ":@/?".utf8.contains(byte)
    }

    private static let slash = UInt8(ascii: "/")
    private static let fullStop = UInt8(ascii: ".")
}

/// URLs as lines of bytes. A hundred thousand take no more memory than their text.
///
/// Lines end with a line feed, optionally preceded by a carriage return. Empty lines are ignored.
package struct URLLines: Hashable, Sendable {
    package let bytes: [UInt8]
    private let start: Int

    /// - Parameter start: Offset of the first line.
    package init(_ bytes: [UInt8], from start: Int = 0) {
        self.bytes = bytes
        self.start = min(start, bytes.count)
    }

    package init(_ urls: some Sequence<String>) {
        var bytes: [UInt8] = []
        for url in urls {
            bytes.append(contentsOf: url.utf8)
            bytes.append(Self.lineFeed)
        }
        self.init(bytes)
    }

    /// All lines, unchanged.
    package var text: ArraySlice<UInt8> { bytes[start...] }

    package func forEach(_ body: (ArraySlice<UInt8>) throws -> Void) rethrows {
        var rest = text
        while !rest.isEmpty {
            let end = rest.firstIndex(of: Self.lineFeed) ?? rest.endIndex
            var line = rest[..<end]
            if line.last == Self.carriageReturn { line.removeLast() }
            if !line.isEmpty { try body(line) }
            rest = rest[min(end + 1, rest.endIndex)...]
        }
    }

    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
}
