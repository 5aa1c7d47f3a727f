package import FerryCore

/// The hosts that a cookie is sent to (RFC 6265 §5.3, steps 4 to 6).
package struct CookieScope: Hashable, Sendable {
    /// The host that set the cookie, or the domain that it is for.
    package let host: String
    /// Whether the hosts below are included.
    package let includesSubdomains: Bool

    /// - Parameters:
    ///   - domain: The `Domain` attribute. Empty without one.
    ///   - host: The canonical host that sets the cookie.
    /// - Returns: Nil if the cookie is to be ignored: its domain does not include the host, or is a public suffix.
    package init?(domain: String, from host: String, _ suffixes: PublicSuffixes) {
        let domain = (domain.hasPrefix(".") ? domain.dropFirst() : domain[...]).lowercased()
        let isAddress = host.hasPrefix("[") || host.split(separator: ".").last?.utf8.allSatisfy(\.isASCIIDigit) == true
        if domain.isEmpty || domain == host {
            self.host = host
            // The list of public suffixes has no names with a final full stop.
            includesSubdomains =
                !domain.isEmpty && !domain.hasSuffix(".") && !isAddress && suffixes.contains(host) == false
            return
        }
        guard !isAddress, !domain.hasSuffix("."), host.hasSuffix("." + domain) else { return nil }
        switch suffixes.contains(domain) {
        case true?: return nil
        case false?: (self.host, includesSubdomains) = (domain, true)
        case nil: (self.host, includesSubdomains) = (host, false)
        }
    }
}
