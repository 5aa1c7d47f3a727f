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
