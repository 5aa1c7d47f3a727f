import FerryCore

/// The names of a server's certificate, matched against the requested host (RFC 9525 §6).
///
/// Only subject alternative names count. A common name is no identity, and an address does not identify the name that
/// resolves to it.
package struct ServerIdentity: Hashable, Sendable {
    private let names: [String]
    private let addresses: [[UInt8]]

    /// - Parameters:
    ///   - names: DNS names as in the certificate, optionally beginning with `*.`.
    ///   - addresses: 4 or 16 bytes each. Others match no host.
    package init(names: [String] = [], addresses: [[UInt8]] = []) {
        self.names = names
        self.addresses = addresses
    }

    /// - Parameter host: As in a URL: A-labels or an address, an IPv6 address in brackets.
    package func matches(_ host: String) -> Bool {
        if let address = IPAddress(Self.withoutZone(host)) { return addresses.contains(address.bytes) }
        let labels = Self.labels(of: host)
        return names.contains { Self.matches(labels, pattern: $0) }
    }

    /// A `*` matches exactly one whole label, the first, and never part of a single-label public suffix.
    private static func matches(_ host: [Substring], pattern: String) -> Bool {
        // Only printable ASCII is valid in A-labels. A NUL would hide the characters after it.
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

    /// Certificates may have hundreds of names of any length.
    private static let mostShown = 3
    private static let longestShown = 64

    /// The certificate's names as part of a message, safe for terminals, or nil if it names no host.
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
