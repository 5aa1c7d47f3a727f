// Ferry: FerryTesting
// The gzip form of bytes, without compressing them.

/// Writes the gzip format (RFC 1952) with stored blocks.
package enum StoredGzip {
    package static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]
        var position = 0
        repeat {
            let end = min(position + 0xFFFF, bytes.count)
            let length = UInt16(end - position)
            result.append(end == bytes.count ? 1 : 0)
            result += [length, ~length].flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
            result += bytes[position..<end]
            position = end
        } while position < bytes.count
        for word in [checksum(bytes), UInt32(truncatingIfNeeded: bytes.count)] {
            result += (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
        }
        return result
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { word, _ in word & 1 == 1 ? 0xEDB8_8320 ^ (word >> 1) : word >> 1 }
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~UInt32(0)) { sum, byte in table[Int((sum ^ UInt32(byte)) & 0xFF)] ^ (sum >> 8) }
    }
}
