/// Parsing URLs.
extension HTTPURL {
    /// Maximum length of a URL in bytes.
    package static let maximumLength = 16 * 1024

    /// Parses an absolute URL.
    ///
    /// Percent-encodes non-ASCII characters and others that RFC 3986 does not allow in path, query and fragment.
    /// - Throws: ``ServiceError`` with code `unsupported_scheme` for another scheme, otherwise `invalid_url`.
    package init(parsing text: String) throws(ServiceError) {
        try self.init(URLReference(splitting: Self.checked(text)), text: text)
    }

    /// Resolves a `Location` field of a response from this URL (RFC 3986 §5, RFC 9110 §10.2.2).
    ///
    /// Inherits this URL's fragment if the target has none, and never the target's userinfo. Unencoded spaces in paths
    /// and queries become `%20`.
    /// - Throws: The errors of ``init(parsing:)``.
    package func resolving(location: String) throws(ServiceError) -> HTTPURL {
        let location = location.trimmingFieldSpace.replacing(" ", with: "%20")
        guard !location.isEmpty else { throw Self.refusal(of: location, "it is empty") }
        let target = try URLReference(splitting: Self.checked(location))
        let fragment = target.fragment.map { PercentEncoding.encode($0, also: Self.queryCharacters) } ?? fragment
        if target.scheme != nil || target.authority != nil {
            let absolute = target.scheme == nil ? "\(scheme):\(location)" : location
            return try HTTPURL(URLReference(splitting: absolute), text: location)
                .replacing(fragment: fragment, credentials: nil)
        }
        let path: String
        if target.path.isEmpty {
            path = self.path
        } else if target.path.utf8.first == UInt8(ascii: "/") {
            path = Self.canonicalPath(target.path)
        } else {
            let folder = self.path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(self.path[...$0]) } ?? "/"
            path = Self.canonicalPath(folder + target.path)
        }
        let query = target.query.map { PercentEncoding.encode($0, also: Self.queryCharacters) }
        let url = HTTPURL(
            scheme: scheme, host: host, port: port, path: path,
            query: target.path.isEmpty ? query ?? self.query : query, fragment: fragment, credentials: nil)
        guard url.string.utf8.count <= Self.maximumLength else { throw Self.tooLong(location) }
        return url
    }

    private init(_ reference: URLReference, text: String) throws(ServiceError) {
        guard let scheme = reference.scheme?.lowercased() else {
            throw Self.refusal(of: text, "it has no scheme; write https:// before it")
        }
        guard scheme == "http" || scheme == "https" else {
            // `host:path` looks like a scheme. Without `//` only well-known schemes count.
            guard reference.authority != nil || Self.knownSchemes.contains(scheme) else {
                throw Self.refusal(of: text, "it has no scheme; write https:// before it")
            }
            throw Self.refusal(of: text, "only http and https are supported", code: .unsupportedScheme)
        }
        guard let authority = reference.authority else {
            throw Self.refusal(of: text, "two slashes must follow “\(scheme):”")
        }
        do throws(HostName.Fault) {
            let parsed = try Authority(parsing: authority)
            self.init(
                scheme: scheme, host: parsed.host, port: parsed.port ?? Self.defaultPort(of: scheme),
                path: Self.canonicalPath(reference.path),
                query: reference.query.map { PercentEncoding.encode($0, also: Self.queryCharacters) },
                fragment: reference.fragment.map { PercentEncoding.encode($0, also: Self.queryCharacters) },
                credentials: parsed.credentials)
        } catch {
            throw Self.refusal(of: text, error.text)
        }
        guard string.utf8.count <= Self.maximumLength else { throw Self.tooLong(text) }
    }

    // MARK: Judging the text

    private static let knownSchemes: Set<String> = [
        "about", "blob", "data", "file", "ftp", "ftps", "gopher", "javascript", "magnet", "mailto", "scp", "sftp",
        "smb",
        "unix", "urn", "ws", "wss",
    ]

    private static func checked(_ text: String) throws(ServiceError) -> String {
        guard text.utf8.count <= maximumLength else { throw tooLong(text) }
        guard !text.isEmpty else { throw refusal(of: text, "it is empty") }
        guard !text.containsControl else { throw refusal(of: text, "it has a control character") }
        guard !text.utf8.contains(UInt8(ascii: " ")) else {
            throw refusal(of: text, "it has a space; write a space as %20")
        }
        return text
    }

    private static func tooLong(_ text: String) -> ServiceError {
        refusal(of: text, "it is longer than \(maximumLength / 1024) KiB")
    }

    static func refusal(of text: String, _ reason: String, code: ErrorCode = .invalidURL) -> ServiceError {
        let shown = withoutSecrets(text)
        return ServiceError(
            code, "The URL “\(shown)” cannot be fetched: \(reason).", details: ErrorDetails(url: shown))
    }

    /// The displayable part of a text that may not be a URL: nothing before its last `@`, no query, no fragment.
    private static func withoutSecrets(_ text: String) -> String {
        var rest = text.utf8[...]
        var head = ""
        if let at = rest.lastIndex(of: UInt8(ascii: "@")) {
            head = URLReference(splitting: text).scheme.map { $0 + "://" } ?? ""
            rest = rest[rest.index(after: at)...]
        }
        rest = rest.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        let shown = head + String(Substring(rest))
        return (shown.count > 200 ? shown.prefix(200) + "…" : shown).escapingControls
    }

    // MARK: Canonical parts

    /// Characters allowed in a query or fragment besides unreserved characters and sub-delimiters.
    private static let queryCharacters = ":@/?"

    /// Encodes a path and removes dot segments (RFC 3986 §5.2.4).
    private static func canonicalPath(_ path: String) -> String {
        let encoded = PercentEncoding.encode(path, also: ":@/")
        // No segment begins with a full stop, so there are no dot segments.
        if encoded.utf8.first == UInt8(ascii: "/"), !encoded.utf8.containsDotSegment { return encoded }
        var result: [Substring] = []
        let segments = encoded.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        for segment in segments {
            switch segment {
            case ".": continue
            case "..": _ = result.popLast()
            default: result.append(segment)
            }
        }
        // A final dot segment names a folder.
        if segments.last == "." || segments.last == ".." { result.append("") }
        return "/" + result.joined(separator: "/")
    }
}

extension String.UTF8View {
    /// Whether a full stop follows a slash, as in every dot segment.
    fileprivate var containsDotSegment: Bool {
        var last: UInt8 = 0
        for byte in self {
            if byte == UInt8(ascii: "."), last == UInt8(ascii: "/") { return true }
            last = byte
        }
        return false
    }
}

/// A URL or relative reference, split into its five parts (RFC 3986, appendix B) without validation.
///
/// Splits between bytes, not characters: a combining mark after a `/` must not hide the slash.
struct URLReference {
    /// As written, or nil for a relative reference.
    let scheme: String?
    /// The text between `//` and the path, or nil without `//`.
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
