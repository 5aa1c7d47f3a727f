// Ferry: FerryCore
// The five parts of a URL or of a relative reference.

/// A URL or relative reference, cut into its five parts (RFC 3986, appendix B) and not judged.
///
/// Cuts between bytes, not characters: a combining mark after a `/` must not hide the slash.
struct URLReference {
    /// As written; nil for a relative reference.
    let scheme: String?
    /// What stands between `//` and the path; nil without `//`.
    let authority: String?
    let path: String
    let query: String?
    let fragment: String?

    init(splitting text: String) {
        var rest = text.utf8[...]
        fragment = Self.cutTail(after: UInt8(ascii: "#"), of: &rest)
        query = Self.cutTail(after: UInt8(ascii: "?"), of: &rest)
        if let colon = rest.firstIndex(of: UInt8(ascii: ":")), Self.isScheme(rest[..<colon]) {
            scheme = String(Substring(rest[..<colon]))
            rest = rest[rest.index(after: colon)...]
        } else {
            scheme = nil
        }
        if rest.starts(with: "//".utf8) {
            rest = rest.dropFirst(2)
            let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            authority = String(Substring(rest[..<end]))
            rest = rest[end...]
        } else {
            authority = nil
        }
        path = String(Substring(rest))
    }

    private static func cutTail(after mark: UInt8, of rest: inout Substring.UTF8View) -> String? {
        guard let position = rest.firstIndex(of: mark) else { return nil }
        defer { rest = rest[..<position] }
        return String(Substring(rest[rest.index(after: position)...]))
    }

    private static func isScheme(_ text: Substring.UTF8View) -> Bool {
        guard let first = text.first, first.isASCIILetter else { return false }
        return text.allSatisfy { byte in
            byte.isASCIILetter || byte.isASCIIDigit || "+-.".utf8.contains(byte)
        }
    }
}
