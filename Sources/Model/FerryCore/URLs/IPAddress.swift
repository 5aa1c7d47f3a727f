/// An IPv4 or IPv6 address.
package enum IPAddress: Hashable, Sendable {
    case v4(UInt32)
    case v6(high: UInt64, low: UInt64)

    /// Parses `a.b.c.d` (four decimal numbers) or an IPv6 address, with or without brackets. Returns nil for anything
    /// else.
    package init?(_ text: String) {
        if text.hasPrefix("["), text.hasSuffix("]") {
            self.init(v6: String(text.dropFirst().dropLast()))
        } else if text.utf8.contains(UInt8(ascii: ":")) {
            self.init(v6: text)
        } else if let value = Self.dottedDecimal(text) {
            self = .v4(value)
        } else {
            return nil
        }
    }

    /// - Parameter bytes: 4 bytes of an IPv4 address or 16 of an IPv6 address, in network byte order.
    package init?(bytes: [UInt8]) {
        func word(_ part: ArraySlice<UInt8>) -> UInt64 { part.reduce(0) { $0 << 8 | UInt64($1) } }
        switch bytes.count {
        case 4: self = .v4(UInt32(word(bytes[...])))
        case 16: self = .v6(high: word(bytes[..<8]), low: word(bytes[8...]))
        default: return nil
        }
    }

    /// 4 bytes of an IPv4 address or 16 of an IPv6 address, in network byte order.
    package var bytes: [UInt8] {
        switch self {
        case .v4(let value): (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * UInt32($0))) }
        case .v6(let high, let low):
            [high, low].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64($0))) } }
        }
    }

    private init?(v6 text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count <= 45 else { return nil }
        let gap = bytes.indices.dropLast().first {
            bytes[$0] == UInt8(ascii: ":") && bytes[$0 + 1] == UInt8(ascii: ":")
        }
        let groups: [UInt16]
        if let gap {
            guard let head = Self.groups(bytes[..<gap], endsAddress: false),
                let tail = Self.groups(bytes[(gap + 2)...], endsAddress: true), head.count + tail.count <= 7
            else { return nil }
            groups = head + Array(repeating: 0, count: 8 - head.count - tail.count) + tail
        } else {
            guard let all = Self.groups(bytes[...], endsAddress: true), all.count == 8 else { return nil }
            groups = all
        }
        func word(_ part: ArraySlice<UInt16>) -> UInt64 { part.reduce(0) { $0 << 16 | UInt64($1) } }
        self = .v6(high: word(groups[..<4]), low: word(groups[4...]))
    }

    /// The 16-bit groups between colons. The last may be an IPv4 address at the end of the whole address.
    private static func groups(_ bytes: ArraySlice<UInt8>, endsAddress: Bool) -> [UInt16]? {
        guard !bytes.isEmpty else { return [] }
        var result: [UInt16] = []
        let parts = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            let text = String(decoding: part, as: UTF8.self)
            if (1...4).contains(part.count), part.allSatisfy(\.isHexadecimalDigit), let group = UInt16(text, radix: 16)
            {
                result.append(group)
            } else if endsAddress, index == parts.count - 1, let v4 = dottedDecimal(text) {
                result += [UInt16(v4 >> 16), UInt16(truncatingIfNeeded: v4)]
            } else {
                return nil
            }
        }
        return result
    }

    private static func dottedDecimal(_ text: String) -> UInt32? {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var result: UInt32 = 0
        for part in parts {
            guard (1...3).contains(part.count), part.allSatisfy(\.isASCIIDigit),
                let value = UInt8(String(Substring(part)))
            else { return nil }
            result = result << 8 | UInt32(value)
        }
        return result
    }

    /// Whether the first `bits` bits are equal. False across address families.
    package func sharesPrefix(of bits: Int, with other: IPAddress) -> Bool {
        switch (self, other) {
        case (.v4(let mine), .v4(let theirs)):
            (0...32).contains(bits) && (mine ^ theirs) >> (32 - UInt32(clamping: bits)) == 0
        case (.v6(let high, let low), .v6(let otherHigh, let otherLow)):
            (0...128).contains(bits)
                && (high ^ otherHigh) >> UInt64(clamping: max(0, 64 - bits)) == 0
                && (bits <= 64 || (low ^ otherLow) >> UInt64(clamping: 128 - bits) == 0)
        default: false
        }
    }
}

extension IPAddress: CustomStringConvertible {
    /// Dotted decimal, or the form of RFC 5952 without brackets.
    package var description: String {
        switch self {
        case .v4(let value):
            return [24, 16, 8, 0].map { String(value >> UInt32($0) & 0xFF) }.joined(separator: ".")
        case .v6(let high, let low):
            let groups = [high, low].flatMap { word in
                [48, 32, 16, 0].map { UInt16(truncatingIfNeeded: word >> UInt64($0)) }
            }
            var gap = 0..<0
            var start = 0
            while start < 8 {
                let end = groups[start...].firstIndex { $0 != 0 } ?? 8
                if end - start > max(1, gap.count) { gap = start..<end }
                start = end + 1
            }
            func text(_ part: ArraySlice<UInt16>) -> String {
                part.map { String($0, radix: 16) }.joined(separator: ":")
            }
            return gap.isEmpty
                ? text(groups[...]) : "\(text(groups[..<gap.lowerBound]))::\(text(groups[gap.upperBound...]))"
        }
    }
}

/// Addresses that a public server must not redirect to.
extension HTTPURL {
    /// Whether the host is this machine's or a private address, as written.
    ///
    /// Names are not resolved. Decimal, octal and hexadecimal forms were normalized to dotted decimal when the URL was
    /// parsed.
    package var isPrivateLiteral: Bool {
        let name = nameWithoutDot
        if name.utf8.contains(UInt8(ascii: "%")) { return literal?.isPrivate ?? true }
        if let literal { return literal.isPrivate }
        return name == "localhost" || name.hasSuffix(".localhost") || name == "localhost.localdomain"
    }
}

extension HTTPURL {
    /// Whether the host is a link-local address or that of a cloud's metadata service.
    ///
    /// Such a service trusts every client that reaches it, so even a server on this machine may not redirect there.
    package var isLinkLocalLiteral: Bool { literal?.isLinkLocal ?? false }

    /// Whether the host may be in a scope: names are not resolved.
    package func isIn(_ scope: AddressScope) -> Bool {
        switch scope {
        case .any: true
        case .site: !isLinkLocalLiteral
        case .global: !isPrivateLiteral && !isLinkLocalLiteral
        }
    }

    /// The host's address without its zone, or nil for a name.
    private var literal: IPAddress? {
        let name = nameWithoutDot
        guard let zone = name.utf8.firstIndex(of: UInt8(ascii: "%")) else { return IPAddress(name) }
        return IPAddress(name[..<zone] + "]")
    }

    private var nameWithoutDot: String { host.utf8.last == UInt8(ascii: ".") ? String(host.dropLast()) : host }
}

extension IPAddress {
    /// Whether the address is link-local, or that of a metadata service.
    package var isLinkLocal: Bool {
        if Self.linkLocalBlocks.contains(where: { sharesPrefix(of: $0.bits, with: $0.address) }) { return true }
        return embedded.map(\.isLinkLocal) ?? false
    }

    private static let linkLocalBlocks: [(address: IPAddress, bits: Int)] = [
        ("169.254.0.0", 16), ("fe80::", 10),
        // Alibaba, Azure, Amazon, Amazon's EKS, Google, Oracle, Scaleway.
        ("100.100.100.200", 32), ("168.63.129.16", 32), ("fd00:ec2::254", 128), ("fd00:ec2::23", 128),
        ("fd20:ce::254", 128), ("fd00:c1::a9fe:a9fe", 128), ("fd00:42::42", 128),
    ].compactMap { (text: String, bits: Int) in IPAddress(text).map { ($0, bits) } }

    /// Whether the address is loopback, link-local, private, or otherwise not globally reachable unicast.
    package var isPrivate: Bool {
        if Self.privateBlocks.contains(where: { sharesPrefix(of: $0.bits, with: $0.address) }) { return true }
        return embedded.map(\.isPrivate) ?? false
    }

    /// The IPv4 address embedded in an IPv6 address: mapped, compatible, NAT64 (RFC 6052, RFC 8215), 6to4 or Teredo.
    private var embedded: IPAddress? {
        guard case .v6(let high, let low) = self else { return nil }
        let tail = UInt32(truncatingIfNeeded: low)
        if high == 0, low >> 32 == 0 || low >> 32 == 0xFFFF || low >> 32 == 0xFFFF_0000 { return .v4(tail) }
        if high == 0x0064_FF9B_0000_0000, low >> 32 == 0 { return .v4(tail) }
        if high >> 16 == 0x0064_FF9B_0001 { return .v4(tail) }
        if high >> 48 == 0x2002 { return .v4(UInt32(truncatingIfNeeded: high >> 16)) }
        if high >> 32 == 0x2001_0000 { return .v4(~tail) }
        return nil
    }

    /// IANA's special-purpose blocks without global reachability, and multicast.
    private static let privateBlocks: [(address: IPAddress, bits: Int)] = [
        ("0.0.0.0", 8), ("10.0.0.0", 8), ("100.64.0.0", 10), ("127.0.0.0", 8), ("169.254.0.0", 16), ("172.16.0.0", 12),
        ("192.0.0.0", 24), ("192.168.0.0", 16), ("198.18.0.0", 15), ("224.0.0.0", 4), ("240.0.0.0", 4),
        ("::", 128), ("::1", 128), ("64:ff9b:1::", 48), ("fc00::", 7), ("fe80::", 10), ("fec0::", 10), ("ff00::", 8),
    ].compactMap { (text: String, bits: Int) in IPAddress(text).map { ($0, bits) } }
}

/// The addresses with a common prefix, such as `192.168.1.0/24`.
package struct Subnet: Hashable, Sendable, CustomStringConvertible {
    package let address: IPAddress
    /// Number of common bits.
    package let prefix: Int

    package init(_ address: IPAddress, prefix: Int) {
        self.address = address
        self.prefix = max(0, min(prefix, address.bytes.count * 8))
    }

    package func contains(_ other: IPAddress) -> Bool {
        let (mine, theirs) = (address.bytes, other.bytes)
        guard mine.count == theirs.count else { return false }
        let whole = prefix / 8
        guard mine[..<whole] == theirs[..<whole] else { return false }
        let rest = prefix % 8
        return rest == 0 || (mine[whole] ^ theirs[whole]) >> UInt8(8 - rest) == 0
    }

    package var description: String { "\(address)/\(prefix)" }
}
