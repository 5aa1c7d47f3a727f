import FerryCore
import FerryRules
import Foundation
import Testing

@Suite struct `Digests that are pending` {
    private let right = Checksum(.sha256, bytes: Array(repeating: 1, count: 32))
    private let wrong = Checksum(.sha256, bytes: Array(repeating: 2, count: 32))

    private func stated(_ start: Int64, _ length: Int64?) -> StatedDigest {
        // SAFETY: The range and the digests are not empty.
        StatedDigest(from: start, length: length, [right]) ?? StatedDigest(from: 0, length: 1, [right])!
    }

    @Test func `are of a range and of digests`() {
        #expect(StatedDigest(from: 5, length: 0, [right]) == nil)
        #expect(StatedDigest(from: 5, length: 10, []) == nil)
        #expect(stated(5, 10).range(inSize: 99) == 5..<15)
        #expect(stated(5, nil).range(inSize: 99) == 5..<99)
        #expect(stated(5, nil).range(inSize: 3).isEmpty)
        #expect(stated(.max - 1, 10).end == .max)
    }

    @Test func `are settled by a response that was read to its end`() {
        for length in [10, nil] as [Int64?] {
            var pending = PendingDigests()
            pending.begin(stated(0, length))
            #expect(pending.end(stated(0, length), wrote: 0..<10, reachedEnd: true, computed: [right]) == .counts)
            #expect(pending.isEmpty)
            pending.begin(stated(0, length))
            #expect(
                pending.end(stated(0, length), wrote: 0..<10, reachedEnd: true, computed: [wrong]) == .differs(right))
            #expect(pending.isEmpty)
        }
    }

    @Test func `stay where a response was cut or shortened, and wrote something`() {
        var pending = PendingDigests()
        for (length, wrote, reachedEnd) in [(10, 0..<9, true), (10, 0..<9, false), (nil, 0..<9, false)]
            as [(Int64?, Range<Int64>, Bool)]
        {
            let one = stated(0, length)
            pending.begin(one)
            #expect(pending.end(one, wrote: wrote, reachedEnd: reachedEnd, computed: [wrong]) == .counts)
            #expect(pending.digests == [one])
            pending.remove(one)
        }
        pending.begin(stated(3, 10))
        #expect(pending.end(stated(3, 10), wrote: 3..<3, reachedEnd: false, computed: []) == .counts)
        #expect(pending.isEmpty)
    }

    @Test func `do not count the bytes of a response beyond the limit`() {
        var pending = PendingDigests()
        for number in 0..<Int64(PendingDigests.limit) {
            let one = stated(number * 10, 10)
            pending.begin(one)
            #expect(pending.end(one, wrote: one.start..<one.start + 1, reachedEnd: false, computed: []) == .counts)
        }
        let last = stated(5000, 10)
        pending.begin(last)
        #expect(pending.end(last, wrote: 5000..<5001, reachedEnd: false, computed: []) == .uncounted)
        #expect(pending.digests.count == PendingDigests.limit && !pending.digests.contains(last))
        // A digest for a range within another one is compared with that range.
        let within = stated(4, 6)
        pending.begin(within)
        #expect(pending.end(within, wrote: 4..<9, reachedEnd: false, computed: []) == .counts)
        #expect(pending.digests.count == PendingDigests.limit && !pending.digests.contains(within))
        // A digest of a complete range needs no entry.
        pending.begin(last)
        #expect(pending.end(last, wrote: 5000..<5010, reachedEnd: true, computed: [right]) == .counts)
        #expect(pending.digests.count == PendingDigests.limit)
    }

    @Test func `are stored with the facts, and go with the bytes`() throws {
        var facts = TransferFacts()
        facts.ranges.insert(0..<5)
        facts.pendingDigests.begin(stated(0, 10))
        facts.pendingDigests.begin(stated(20, nil))
        let data = try JSONEncoder().encode(facts)
        #expect(try JSONDecoder().decode(TransferFacts.self, from: data) == facts)
        facts.startOver(note: nil)
        #expect(facts.pendingDigests.isEmpty)
        facts.pendingDigests.begin(stated(0, 10))
        facts.giveUpFile()
        #expect(facts.pendingDigests.isEmpty)
        #expect(!String(decoding: try JSONEncoder().encode(facts), as: UTF8.self).contains("pending_digests"))
    }

    @Test(arguments: [
        #"{"start":-1,"digests":["md5:\#(hex)"]}"#, #"{"start":5,"end":5,"digests":["md5:\#(hex)"]}"#,
        #"{"start":0,"end":9223372036854775807,"digests":["md5:\#(hex)"]}"#, #"{"start":0,"digests":[]}"#,
        #"{"start":9223372036854775807,"digests":["md5:\#(hex)"]}"#, #"{"start":0,"digests":["md5:0"]}"#,
    ])
    func `are refused where no file can have their range`(text: String) {
        #expect(throws: (any Error).self) {
            try JSONDecoder().decode(PendingDigests.self, from: Data("[\(text)]".utf8))
        }
    }

    private static let hex = String(repeating: "0", count: 32)
}
