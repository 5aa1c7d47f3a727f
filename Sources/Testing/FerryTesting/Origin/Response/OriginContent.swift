package import NIOCore

/// A part of a response's body: a range of a seeded body, or literal bytes.
package enum OriginContent: Equatable, Sendable {
    case seeded(SeededBody, Range<Int64>)
    case bytes([UInt8])

    package var count: Int64 {
        switch self {
        case .seeded(_, let range): range.upperBound - range.lowerBound
        case .bytes(let bytes): Int64(bytes.count)
        }
    }

    package var bytes: [UInt8] {
        switch self {
        case .seeded(let body, let range): body.bytes(in: range)
        case .bytes(let bytes): bytes
        }
    }

    /// Splits this part into the first `length` bytes and the remaining bytes.
    package func split(at length: Int64) -> (OriginContent, OriginContent) {
        let length = min(max(0, length), count)
        switch self {
        case .seeded(let body, let range):
            let middle = range.lowerBound + length
            return (.seeded(body, range.lowerBound..<middle), .seeded(body, middle..<range.upperBound))
        case .bytes(let bytes):
            return (.bytes(Array(bytes.prefix(Int(length)))), .bytes(Array(bytes.dropFirst(Int(length)))))
        }
    }

    package func write(into buffer: inout ByteBuffer) {
        switch self {
        case .seeded(let body, let range): body.write(range, into: &buffer)
        case .bytes(let bytes): buffer.writeBytes(bytes)
        }
    }
}

extension [OriginContent] {
    package var byteCount: Int64 { reduce(0) { $0 + $1.count } }

    /// Returns these parts with the byte at an offset inverted, if there is one.
    package func damaged(at offset: Int64) -> [OriginContent] {
        let (head, rest) = split(at: offset)
        let (byte, tail) = rest.split(at: 1)
        return head + byte.map { .bytes($0.bytes.map { ~$0 }) } + tail
    }

    /// Splits these parts into the first `length` bytes and the remaining bytes.
    package func split(at length: Int64) -> ([OriginContent], [OriginContent]) {
        var head: [OriginContent] = []
        var tail: [OriginContent] = []
        var missing = length
        for content in self {
            let (first, second) = content.split(at: missing)
            missing -= first.count
            if first.count > 0 { head.append(first) }
            if second.count > 0 { tail.append(second) }
        }
        return (head, tail)
    }
}

/// Encodes the gzip format (RFC 1952) with stored blocks.
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
