// Ferry: FerryCore
// A proxy that a transfer goes through.

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
