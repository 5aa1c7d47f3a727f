// Ferry: FerryCore
// Addresses that a public server must not send us to.

extension HTTPURL {
    /// Whether the host is written as this machine or as an address that is not reachable from the public network.
    ///
    /// Judges what is written; a name that resolves to such an address is not looked up. Decimal, octal and hexadecimal forms
    /// were made dotted decimal when the URL was parsed.
    package var isPrivateLiteral: Bool {
        let name = nameWithoutDot
        if name.utf8.contains(UInt8(ascii: "%")) { return literal?.isPrivate ?? true }
        if let literal { return literal.isPrivate }
        return name == "localhost" || name.hasSuffix(".localhost") || name == "localhost.localdomain"
    }
}

extension HTTPURL {
    /// Whether the host is written as a link-local address, or as one where clouds keep what a machine may know of itself.
    ///
    /// Such a service trusts every client that reaches it, so not even a server on this machine may send us there.
    package var isLinkLocalLiteral: Bool { literal?.isLinkLocal ?? false }

    /// The address that the host is written as, without its zone.
    private var literal: IPAddress? {
        let name = nameWithoutDot
        guard let zone = name.utf8.firstIndex(of: UInt8(ascii: "%")) else { return IPAddress(name) }
        return IPAddress(name[..<zone] + "]")
    }

    private var nameWithoutDot: String { host.utf8.last == UInt8(ascii: ".") ? String(host.dropLast()) : host }
}

extension IPAddress {
    /// Whether the address is link-local, or of a metadata service beyond the link.
    fileprivate var isLinkLocal: Bool {
        if Self.linkLocalBlocks.contains(where: { sharesPrefix(of: $0.bits, with: $0.address) }) { return true }
        return embedded.map(\.isLinkLocal) ?? false
    }

    private static let linkLocalBlocks: [(address: IPAddress, bits: Int)] = [
        ("169.254.0.0", 16), ("100.100.100.200", 32), ("fe80::", 10), ("fd00:ec2::254", 128),
    ].compactMap { (text: String, bits: Int) in IPAddress(text).map { ($0, bits) } }

    /// Whether the address is loopback, link-local, private, or otherwise not globally reachable unicast.
    package var isPrivate: Bool {
        if Self.privateBlocks.contains(where: { sharesPrefix(of: $0.bits, with: $0.address) }) { return true }
        return embedded.map(\.isPrivate) ?? false
    }

    /// The IPv4 address that an IPv6 address stands for: mapped, compatible, NAT64, 6to4 or Teredo.
    private var embedded: IPAddress? {
        guard case .v6(let high, let low) = self else { return nil }
        let tail = UInt32(truncatingIfNeeded: low)
        if high == 0, low >> 32 == 0 || low >> 32 == 0xFFFF || low >> 32 == 0xFFFF_0000 { return .v4(tail) }
        if high == 0x0064_FF9B_0000_0000, low >> 32 == 0 { return .v4(tail) }
        if high >> 48 == 0x2002 { return .v4(UInt32(truncatingIfNeeded: high >> 16)) }
        if high >> 32 == 0x2001_0000 { return .v4(~tail) }
        return nil
    }

    /// IANA's special-purpose blocks that are not globally reachable, and multicast.
    private static let privateBlocks: [(address: IPAddress, bits: Int)] = [
        ("0.0.0.0", 8), ("10.0.0.0", 8), ("100.64.0.0", 10), ("127.0.0.0", 8), ("169.254.0.0", 16), ("172.16.0.0", 12),
        ("192.0.0.0", 24), ("192.168.0.0", 16), ("198.18.0.0", 15), ("224.0.0.0", 4), ("240.0.0.0", 4),
        ("::", 128), ("::1", 128), ("64:ff9b:1::", 48), ("fc00::", 7), ("fe80::", 10), ("fec0::", 10), ("ff00::", 8),
    ].compactMap { (text: String, bits: Int) in IPAddress(text).map { ($0, bits) } }
}
