/// A scheme, host and port (RFC 6454 §4): what credentials, validators and limits belong to.
package struct Origin: Hashable, Codable, Sendable, CustomStringConvertible {
    /// `http` or `https`.
    package let scheme: String
    /// Lower-case host; an IPv6 address stands in brackets.
    package let host: String
    package let port: Int

    package init(scheme: String, host: String, port: Int) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }

    package var description: String { "\(scheme)://\(host):\(port)" }
}
