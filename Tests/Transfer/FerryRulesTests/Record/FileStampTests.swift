import FerryCore
import FerryRules
import Foundation
import Testing

struct `Stamps of partial files` {
    private static let stamp = FileStamp(size: 100, modified: 40, changed: 70)

    @Test(
        arguments: [
            (stamp, .all),
            (FileStamp(size: 100, modified: 40, changed: 71), .bytes),
            (FileStamp(size: 100, modified: 41, changed: 71), .nothingCertain),
            (FileStamp(size: 100, modified: 39, changed: 70), .nothingCertain),
            (FileStamp(size: 99, modified: 40, changed: 70), .nothing),
            (FileStamp(size: 101, modified: 40, changed: 71), .nothing),
        ] as [(FileStamp, FileStamp.Trust)])
    func `a file is trusted as far as it looks as it was left`(found: FileStamp, trust: FileStamp.Trust) {
        #expect(Self.stamp.trust(in: found) == trust)
    }

    @Test(arguments: [true, false]) func `the known times of a file are stored`(tells: Bool) throws {
        var facts = PartialFacts(folder: "/f", name: "n", device: 1, inode: 2, folderDevice: 3, folderInode: 4)
        facts.hasReliableTime = tells
        let stored = try JSONEncoder().encode(facts)
        #expect(try JSONDecoder().decode(PartialFacts.self, from: stored) == facts)
        #expect(String(decoding: stored, as: UTF8.self).contains("tells_changes") == !tells)
    }

    /// FAT stores even seconds only, rounded down.
    @Test(arguments: 1_000_000...1_000_003 as ClosedRange<Int64>)
    func `the mark of a file is a time that no later change rounds to`(now: Int64) {
        let mark = FileStamp.mark(at: now)
        #expect(mark.isMultiple(of: 2))
        #expect(mark < (now - 1) & ~1)
    }
}
