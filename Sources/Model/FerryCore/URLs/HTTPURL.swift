/// An absolute `http` or `https` URL in canonical form.
///
/// Every part contains only characters allowed by RFC 3986, so that every layer below reads the URL alike. Its text
/// forms never contain credentials.
package struct HTTPURL: Hashable, Sendable {
    /// `http` or `https`.
    package let scheme: String
    /// Lowercase host of A-labels, or an address, with brackets around an IPv6 address.
    package let host: String
    /// The explicit or default port.
    package let port: Int
    /// Begins with a slash. Percent-encoded, without dot segments.
    package let path: String
    /// Percent-encoded, or nil without a `?`.
    package let query: String?
    /// Percent-encoded, or nil without a `#`. Never sent.
    package let fragment: String?
    /// The decoded userinfo, for this URL's origin only.
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

    /// The request target in origin form: path and query.
    package var requestTarget: String { path + (query.map { "?" + $0 } ?? "") }

    /// The value of the `Host` field: without the default port, and without an IPv6 zone, which is only valid on this
    /// machine.
    package var hostField: String {
        guard let zone = host.utf8.firstIndex(of: UInt8(ascii: "%")) else { return host + portSuffix }
        return host[..<zone] + "]" + portSuffix
    }

    package var withoutUserinfo: HTTPURL { replacing(fragment: fragment, credentials: nil) }

    package var withoutFragment: HTTPURL { replacing(fragment: nil, credentials: credentials) }

    /// The URL for logs and records: no userinfo, no fragment, and only the names of query items.
    ///
    /// An item without `=` is omitted, since it may be a token.
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

    /// Encodes the URL without userinfo. Credentials are stored beside a URL, never inside it.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(string)
    }
}
