import FerryRules
import NIOCore
import Testing

@testable import FerryEngine

@Suite("The retained buffers of a connection")
struct SlackTests {
    @Test(arguments: [0, 1, 8 << 10, 64 << 10])
    func `a small part of a large buffer is kept by itself`(_ count: Int) {
        var part = Self.read[1000..<1000 + count]
        let kept = part.withoutSlack
        #expect(kept == part)
        #expect(kept.storageCapacity <= max(2 * count, 64))
        // The copy shares no storage: writing to the original does not change it.
        part.setRepeatingByte(0xFF, count: count, at: part.readerIndex)
        #expect(kept == Self.read[1000..<1000 + count])
    }

    @Test(arguments: [65 << 10, 256 << 10])
    func `a large part is kept as it is`(_ count: Int) {
        let part = Self.read[0..<count]
        #expect(part.withoutSlack == part)
        #expect(part.withoutSlack.storageCapacity == part.storageCapacity)
    }

    /// A buffer as read by a connection.
    private static let read = ByteBuffer(bytes: (0..<256 << 10).map { UInt8(truncatingIfNeeded: $0 &* 31) })
}

extension ByteBuffer {
    fileprivate subscript(range: Range<Int>) -> ByteBuffer {
        guard let slice = getSlice(at: range.lowerBound, length: range.count) else { preconditionFailure("\(range)") }
        return slice
    }
}
