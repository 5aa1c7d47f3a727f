import FerryCore
import FerryRules
import Foundation
import Testing

@Suite struct `The digest of a prefix` {
    private static let block = PrefixDigest.blockSize

    /// Stands for the bytes of a file: the digest names the range.
    private static func digest(_ range: Range<Int64>) -> Checksum {
        var digest = RunningDigest([.sha256])
        unsafe Array("\(range)".utf8).withUnsafeBytes { unsafe digest.update($0) }
        return digest.finalize()[0]
    }

    @Test(
        arguments: [
            [1], [block], [block - 1, block], [block + 1], [5, block, 2 * block + 3], [block, 3 * block],
            [7, 9, 3 * block - 1],
        ] as [[Int64]])
    func `is the same in one step and in several`(ends: [Int64]) throws {
        var stepwise = PrefixDigest()
        for end in ends { stepwise = stepwise.extended(to: end, Self.digest) }
        let last = try #require(ends.last)
        #expect(stepwise == PrefixDigest().extended(to: last, Self.digest))
        #expect(stepwise.count == last)
        #expect(stepwise != PrefixDigest().extended(to: last + 1, Self.digest))
    }

    @Test func `reads only its last block again`() {
        var read: [Range<Int64>] = []
        _ = PrefixDigest().extended(to: 2 * Self.block + 5, Self.digest).extended(to: 2 * Self.block + 9) {
            read.append($0)
            return Self.digest($0)
        }
        #expect(read == [2 * Self.block..<2 * Self.block + 9])
    }

    @Test func `is dropped with the bytes that it covers, and kept in the journal otherwise`() throws {
        var facts = TransferFacts()
        facts.ranges = ByteRangeSet(0..<100)
        facts.prefix = PrefixDigest().extended(to: 101, Self.digest)
        #expect(facts.prefix == nil)
        facts.prefix = PrefixDigest().extended(to: 60, Self.digest)
        let stored = try JSONDecoder().decode(TransferFacts.self, from: JSONEncoder().encode(facts))
        #expect(stored.prefix == facts.prefix)
        facts.ranges.remove(50..<55)
        #expect(facts.prefix == nil)
    }
}
