/// The names of a server's certificate, and whether the host that was asked is one of them (RFC 9525 §6).
///
/// Only alternative names count. A common name is no identity, and an address says nothing about the name that leads to it.
package struct ServerIdentity: Hashable, Sendable {
    private let names: [String]
    private let addresses: [[UInt8]]

    /// - Parameters:
    ///   - names: DNS names as the certificate has them; each may begin with `*.`.
    ///   - addresses: 4 or 16 bytes each; others are the address of no host.
    package init(names: [String] = [], addresses: [[UInt8]] = []) {
        self.names = names
        self.addresses = addresses
    }

    /// - Parameter host: as in a URL: A-labels or an address, an IPv6 address in brackets.
    package func matches(_ host: String) -> Bool {
        if let address = IPAddress(Self.withoutZone(host)) { return addresses.contains(address.bytes) }
        let labels = Self.labels(of: host)
        return names.contains { Self.matches(labels, pattern: $0) }
    }

    /// A `*` stands for exactly one whole label, the first, and never for a part of a public suffix of one label.
    private static func matches(_ host: [Substring], pattern: String) -> Bool {
        // What is not printable ASCII is no A-label; a NUL would hide what follows it.
        guard pattern.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return false }
        let wanted = labels(of: pattern)
        guard wanted.count == host.count, !wanted.contains("") else { return false }
        guard wanted[0] == "*" else { return !pattern.contains("*") && wanted == host }
        return wanted.count > 2 && wanted[1...] == host[1...] && !wanted[1...].contains { $0.contains("*") }
    }

    private static func labels(of name: String) -> [Substring] {
        var name = name.lowercased()
        if name.hasSuffix(".") { name.removeLast() }
        return name.split(separator: ".", omittingEmptySubsequences: false)
    }

    private static func withoutZone(_ host: String) -> String {
        guard host.hasPrefix("["), let zone = host.utf8.firstIndex(of: UInt8(ascii: "%")) else { return host }
        return host[..<zone] + "]"
    }

    // MARK: For people

    /// Certificates may have hundreds of names, and names of any length.
    private static let mostShown = 3
    private static let longestShown = 64

    /// What the certificate is for, as a part of a sentence that a terminal may show; nil if it names no host.
    package var summary: String? {
        let all = names.map(Self.shown) + addresses.compactMap { IPAddress(bytes: $0)?.description }
        guard !all.isEmpty else { return nil }
        let shown = all.prefix(Self.mostShown).joined(separator: ", ")
        let rest = all.count - Self.mostShown
        return rest > 0 ? "\(shown) and \(rest) more" : shown
    }

    private static func shown(_ name: String) -> String {
        let start = name.unicodeScalars.prefix(longestShown)
        return (start.endIndex == name.endIndex ? name : String(start) + "…").escapingControls
    }
}
