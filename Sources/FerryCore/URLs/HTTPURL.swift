/// An absolute `http` or `https` URL in canonical form.
///
/// Every part holds only characters that RFC 3986 allows there, so every layer below reads the same URL. The text forms
/// never show credentials.
package struct HTTPURL: Hashable, Sendable {
    /// `http` or `https`.
    package let scheme: String
    /// Lower-case host of A-labels, or an address; an IPv6 address stands in brackets.
    package let host: String
    /// The port that is asked, written in the URL or not.
    package let port: Int
    /// Begins with a slash; percent-encoded, without dot segments.
    package let path: String
    /// Percent-encoded; nil without a `?`.
    package let query: String?
    /// Percent-encoded; nil without a `#`. Never sent.
    package let fragment: String?
    /// The decoded userinfo, which belongs to this URL's origin alone.
    package let credentials: Credentials?

    init(
        scheme: String, host: String, port: Int, path: String, query: String?, fragment: String?,
        credentials: Credentials?
    ) {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.path = path
        self.query = query
        self.fragment = fragment
        self.credentials = credentials
    }

    package var origin: Origin { Origin(scheme: scheme, host: host, port: port) }

    package var isSecure: Bool { scheme == "https" }

    /// The whole URL without userinfo.
    package var string: String {
        var text = base
        if let query {
            text += "?"
            text += query
        }
        if let fragment {
            text += "#"
            text += fragment
        }
        return text
    }

    /// What a request line to the origin holds: path and query.
    package var requestTarget: String { path + (query.map { "?" + $0 } ?? "") }

    /// The value of a `Host` field: without the default port, and without the zone of an IPv6 address, which means
    /// something on this machine only.
    package var hostField: String {
        guard let zone = host.utf8.firstIndex(of: UInt8(ascii: "%")) else { return host + portSuffix }
        return host[..<zone] + "]" + portSuffix
    }

    package var withoutUserinfo: HTTPURL { replacing(fragment: fragment, credentials: nil) }

    package var withoutFragment: HTTPURL { replacing(fragment: nil, credentials: credentials) }

    /// The URL for logs and records: no userinfo, no fragment, and only the names of the query.
    ///
    /// A part of the query without `=` is left out whole: it may be a bare token.
    package var redacted: String {
        guard let query else { return base }
        let names = query.utf8.split(separator: UInt8(ascii: "&")).compactMap { pair -> String? in
            pair.firstIndex(of: UInt8(ascii: "=")).map { String(Substring(pair[...$0])) }
        }
        return base + "?" + names.joined(separator: "&")
    }

    private var base: String {
        var text = scheme
        text.reserveCapacity(scheme.utf8.count + host.utf8.count + path.utf8.count + (query?.utf8.count ?? 0) + 10)
        text += "://"
        text += host
        text += portSuffix
        text += path
        return text
    }

    private var portSuffix: String { port == Self.defaultPort(of: scheme) ? "" : ":\(port)" }

    static func defaultPort(of scheme: String) -> Int { scheme == "https" ? 443 : 80 }

    func replacing(fragment: String?, credentials: Credentials?) -> HTTPURL {
        HTTPURL(
            scheme: scheme, host: host, port: port, path: path, query: query, fragment: fragment,
            credentials: credentials)
    }
}

extension HTTPURL: CustomStringConvertible {
    package var description: String { redacted }
}

extension HTTPURL: Codable {
    package init(from decoder: any Decoder) throws {
        try self.init(parsing: decoder.singleValueContainer().decode(String.self))
    }

    /// Writes the URL without userinfo: credentials are stored beside a URL, never inside it.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(string)
    }
}
