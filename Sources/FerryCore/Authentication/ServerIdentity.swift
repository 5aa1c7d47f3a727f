// Ferry: FerryCore
// Whether a certificate is a host's.

/// Decides whether a certificate names the host that was asked (RFC 9525 §6).
///
/// Only its alternative names count: a common name is nobody's identity any more.
package enum ServerIdentity {
    /// - Parameters:
    ///   - host: as in a URL: A-labels or an address, an IPv6 address in brackets.
    ///   - names: DNS names of the certificate, of which one may begin with `*.`.
    ///   - addresses: addresses of the certificate, 4 or 16 bytes each.
    package static func matches(host: String, names: [String], addresses: [[UInt8]]) -> Bool {
        if let address = IPAddress(withoutZone(host)) { return addresses.contains { bytes(of: address) == $0 } }
        let labels = labels(of: host)
        return names.contains { matches(labels, pattern: $0) }
    }

    /// A `*` stands for exactly one whole label, the first, and never for a part of a public suffix of one label.
    private static func matches(_ host: [Substring], pattern: String) -> Bool {
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

    private static func bytes(of address: IPAddress) -> [UInt8] {
        switch address {
        case .v4(let value): (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * UInt32($0))) }
        case .v6(let high, let low):
            [high, low].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64($0))) } }
        }
    }
}
