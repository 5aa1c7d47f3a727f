/// A proxy: scheme, address and credentials.
package struct ProxyChoice: Hashable, Codable, Sendable {
    package enum Scheme: String, CaseIterable, Codable, Sendable {
        /// HTTP without TLS to the proxy.
        case http
        /// HTTP over TLS.
        case https
        /// SOCKS 5. Host names are resolved on this machine.
        case socks5
        /// SOCKS 5. The proxy resolves host names.
        case socks5h

        package var isSOCKS: Bool { self == .socks5 || self == .socks5h }

        /// Default port, as in curl.
        fileprivate var port: Int { self == .https ? 443 : 1080 }
    }

    package let scheme: Scheme
    package let host: String
    package let port: Int
    package let credentials: Credentials?

    /// Parses `[scheme://][user:password@]host[:port][/…]` as curl does: the default scheme is `http`, the default port
    /// 443 for `https` and 1080 for the others. A path is ignored.
    ///
    /// - Throws: ``ServiceError`` with code `invalid_request`.
    package init(parsing text: String) throws(ServiceError) {
        let mark = text.firstRange(of: "://")
        let word = mark.map { text[..<$0.lowerBound].lowercased() } ?? Scheme.http.rawValue
        guard let scheme = Scheme(rawValue: word) else {
            throw Self.refusal("a proxy is http://, https://, socks5:// or socks5h://")
        }
        let rest = mark.map { text[$0.upperBound...] } ?? text[...]
        let place = String(Substring(rest.utf8.prefix { $0 != UInt8(ascii: "/") }))
        guard !rest.utf8.contains(where: { $0 == UInt8(ascii: " ") }), !String(rest).containsControl,
            !place.utf8.contains(where: { "?#".utf8.contains($0) })
        else { throw Self.refusal("it is not HOST:PORT") }
        do throws(HostName.Fault) {
            let authority = try Authority(parsing: place)
            if scheme.isSOCKS, let credentials = authority.credentials {
                // Limits in bytes on the wire (RFC 1929 §2).
                guard (1...255).contains(credentials.user.utf8.count), (credentials.password ?? "").utf8.count <= 255
                else {
                    throw HostName.Fault(text: "user name and password of a SOCKS proxy have 255 bytes at most")
                }
            }
            self.scheme = scheme
            self.host = authority.host
            self.port = authority.port ?? scheme.port
            self.credentials = authority.credentials
        } catch {
            throw Self.refusal(error.text)
        }
    }

    private init(_ proxy: ProxyChoice, _ credentials: Credentials) {
        (scheme, host, port) = (proxy.scheme, proxy.host, proxy.port)
        self.credentials = credentials
    }

    /// The same proxy with other credentials.
    package func replacing(_ credentials: Credentials) -> ProxyChoice { ProxyChoice(self, credentials) }

    /// Whether requests for a URL use a tunnel. Otherwise the request is sent to the proxy with the absolute URL as its
    /// target (RFC 9112 §3.2.2).
    package func tunnels(to url: HTTPURL) -> Bool { scheme.isSOCKS || url.isSecure }

    /// Its URL without credentials.
    package var shown: String { "\(scheme.rawValue)://\(host):\(port)" }

    // The message omits the proxy's URL, which may contain a password.
    private static func refusal(_ reason: String) -> ServiceError {
        ServiceError(.invalidRequest, "The proxy's URL cannot be used: \(reason.escapingControls).")
    }
}

/// Evaluates proxy environment variables as curl does.
package enum ProxyRule {
    /// The proxy for a URL, or nil for a direct connection.
    ///
    /// Uppercase `HTTP_PROXY` is ignored: in a CGI program it comes from the `Proxy` field of a request. Otherwise the
    /// lowercase variable takes precedence, and an empty one counts as unset.
    /// - Throws: ``ServiceError`` with code `invalid_request` if the applicable variable is unusable.
    package static func choose(for url: HTTPURL, environment: [String: String]) throws(ServiceError) -> ProxyChoice? {
        func value(_ names: String...) -> String? {
            names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        }
        if let exceptions = value("no_proxy", "NO_PROXY"), bypasses(host: url.host, noProxy: exceptions) { return nil }
        let own = url.isSecure ? value("https_proxy", "HTTPS_PROXY") : value("http_proxy")
        guard let text = own ?? value("all_proxy", "ALL_PROXY") else { return nil }
        return try ProxyChoice(parsing: text)
    }

    /// Whether a `no_proxy` list contains the host: `*`, a name or its parent domain, an address, or a CIDR block.
    package static func bypasses(host: String, noProxy list: String) -> Bool {
        var host = host
        if host.utf8.last == UInt8(ascii: ".") { host.removeLast() }
        let address = IPAddress(host)
        return list.lowercased().split(whereSeparator: { $0 == "," || $0 == " " || $0 == "\t" }).contains { item in
            if item == "*" { return true }
            if let address { return covers(String(item), address) }
            var name = item
            if name.hasPrefix(".") { name.removeFirst() }
            if name.hasSuffix(".") { name.removeLast() }
            return !name.isEmpty && (host == name || host.hasSuffix("." + name))
        }
    }

    private static func covers(_ item: String, _ address: IPAddress) -> Bool {
        let parts = item.split(separator: "/", omittingEmptySubsequences: false)
        guard let block = IPAddress(String(parts[0])) else { return false }
        guard parts.count > 1 else { return block == address }
        guard parts.count == 2, (1...3).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy(\.isASCIIDigit),
            let bits = Int(parts[1])
        else { return false }
        return address.sharesPrefix(of: bits, with: block)
    }
}
