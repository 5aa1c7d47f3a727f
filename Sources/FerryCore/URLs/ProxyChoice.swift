/// A proxy: how it is spoken to, where it is, and what opens it.
package struct ProxyChoice: Hashable, Codable, Sendable {
    package enum Scheme: String, Codable, Sendable {
        /// Reaches every origin by CONNECT.
        case http
        case socks5
    }

    package let scheme: Scheme
    package let host: String
    package let port: Int
    package let credentials: Credentials?

    /// Reads `[scheme://][user:password@]host[:port][/…]`, as curl does: `http` and port 1080 where none is written, and a path
    /// means nothing.
    ///
    /// A SOCKS proxy takes no credentials: the HTTP client has no way to give them.
    /// - Throws: ``TransferError`` with code `invalid_request`.
    package init(parsing text: String) throws(TransferError) {
        let mark = text.firstRange(of: "://")
        let word = mark.map { text[..<$0.lowerBound].lowercased() } ?? Scheme.http.rawValue
        guard let scheme = Scheme(rawValue: word) else {
            throw Self.refusal("a proxy is http:// or socks5://")
        }
        let rest = mark.map { text[$0.upperBound...] } ?? text[...]
        let place = String(Substring(rest.utf8.prefix { $0 != UInt8(ascii: "/") }))
        guard !rest.utf8.contains(where: { $0 == UInt8(ascii: " ") }), !String(rest).containsControl,
            !place.utf8.contains(where: { "?#".utf8.contains($0) })
        else { throw Self.refusal("it is not HOST:PORT") }
        do throws(HostName.Fault) {
            let authority = try Authority(parsing: place)
            guard scheme != .socks5 || authority.credentials == nil else {
                throw HostName.Fault(text: "a SOCKS proxy is used without user name and password; leave them out")
            }
            self.scheme = scheme
            self.host = authority.host
            self.port = authority.port ?? 1080
            self.credentials = authority.credentials
        } catch {
            throw Self.refusal(error.text)
        }
    }

    private init(_ proxy: ProxyChoice, _ credentials: Credentials) {
        (scheme, host, port) = (proxy.scheme, proxy.host, proxy.port)
        self.credentials = credentials
    }

    /// The same proxy, opened with other credentials.
    package func replacing(_ credentials: Credentials) -> ProxyChoice { ProxyChoice(self, credentials) }

    // The sentence leaves the proxy's URL out, since it may hold a password.
    private static func refusal(_ reason: String) -> TransferError {
        TransferError(.invalidRequest, "The proxy's URL cannot be used: \(reason.escapingControls).")
    }
}

/// Reads the proxy variables of an environment as curl does.
package enum ProxyRule {
    /// The proxy for a URL; nil for a direct connection.
    ///
    /// `HTTP_PROXY` in upper case is ignored: a CGI program gets it from the `Proxy` field of a request. For the others lower
    /// case wins, and an empty variable counts as unset.
    /// - Throws: ``TransferError`` with code `invalid_request` if the variable that applies is unusable.
    package static func choose(for url: HTTPURL, environment: [String: String]) throws(TransferError) -> ProxyChoice? {
        func value(_ names: String...) -> String? {
            names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        }
        if let exceptions = value("no_proxy", "NO_PROXY"), bypasses(host: url.host, noProxy: exceptions) { return nil }
        let own = url.isSecure ? value("https_proxy", "HTTPS_PROXY") : value("http_proxy")
        guard let text = own ?? value("all_proxy", "ALL_PROXY") else { return nil }
        return try ProxyChoice(parsing: text)
    }

    /// Whether a `no_proxy` list names the host: `*`, a name or its parent domain, an address, or a CIDR block.
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
