import FerryCore
import FerryQueue
import FerryRules
import Foundation
import Testing

@Suite struct `The queue of places to clean up` {
    private func place(_ folder: String) -> CleanUpPlace { CleanUpPlace(folders: [folder], isRecorded: true) }

    private func begin(_ line: inout CleanUpQueue) -> [String] {
        var begun: [String] = []
        while let job = line.next() { begun += job.place.folders }
        return begun
    }

    private func line(_ folders: [String]) -> CleanUpQueue {
        var line = CleanUpQueue()
        for folder in folders { line.add([TransferID(rawValue: 1)], in: place(folder)) }
        return line
    }

    @Test func `a few places are cleaned up at a time, in their order`() {
        let folders = (1...10).map { "/\($0)/a" }
        var line = line(folders)
        #expect(begin(&line) == Array(folders.prefix(8)))
        line.ended(place("/3/a"))
        #expect(begin(&line) == ["/9/a"])
        for folder in folders { line.ended(place(folder)) }
        #expect(begin(&line) == ["/10/a"])
    }

    @Test func `places that hang yield to others`() {
        let folders = (1...20).map { "/\($0)/a" }
        var line = line(folders)
        for folder in begin(&line) { line.hangs(place(folder)) }
        #expect(begin(&line) == Array(folders[8..<16]))
    }

    @Test func `few places hang together, and the rest of their folder waits until one answers`() {
        let hung = (1...100).map { "/nas/\($0)" }
        var line = line(hung + ["/home/a"])
        var begun: [String] = []
        while true {
            let more = begin(&line)
            if more.isEmpty { break }
            for folder in more where folder.hasPrefix("/nas") { line.hangs(place(folder)) }
            begun += more
        }
        // The first eight start before any of them is known to hang.
        #expect(begun == Array(hung.prefix(8)) + ["/home/a"])
        for folder in hung.prefix(5) { line.ended(place(folder)) }
        #expect(begin(&line) == [hung[8]])
    }

    @Test func `no more than 64 places hang or are cleaned up at a time`() {
        let folders = (1...100).map { "/\($0)/a" }
        var line = line(folders)
        var count = 0
        while true {
            let more = begin(&line)
            if more.isEmpty { break }
            for folder in more { line.hangs(place(folder)) }
            count += more.count
        }
        #expect(count == 64)
        line.ended(place("/1/a"))
        #expect(begin(&line) == ["/65/a"])
    }

    @Test func `a place is cleaned up once at a time, and again for what came meanwhile`() throws {
        var line = CleanUpQueue()
        let (one, two, three) = (TransferID(rawValue: 1), TransferID(rawValue: 2), TransferID(rawValue: 3))
        line.add([one], in: place("/a/b"))
        line.add([two], in: place("/a/b"))
        #expect(line.next()?.ids == [one, two])
        line.add([two, three], in: place("/a/b"))
        #expect(line.next() == nil)
        line.hangs(place("/a/b"))
        #expect(line.next() == nil)
        line.ended(place("/a/b"))
        #expect(line.next()?.ids == [two, three])
        #expect(line.next() == nil)
    }
}

@Suite struct `The files to clean up` {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private static let partial = PartialFacts(
        folder: "/a", name: ".ferry-1.part", device: 1, inode: 2, folderDevice: 1, folderInode: 3)

    struct Row: Sendable {
        var intent: TransferIntent = .run
        var outcome: Outcome?
        var hasPartial = true
        var isBeingRenamed = false
        var isQuit = false
        var days = 1.0
        var expected: CleanUp
    }

    private static let lost = Outcome.failed(ServiceError(.connectionLost, "Lost."))
    private static let wrong = Outcome.failed(ServiceError(.digestMismatch, "Wrong."))
    private static let success = Outcome.succeeded(Outcome.Success(path: "/b/new", size: 5, verified: []))

    @Test(arguments: [
        Row(expected: .none),
        Row(intent: .suspend, expected: .none),
        Row(intent: .cancel, expected: .finishCancel),
        Row(intent: .cancel, hasPartial: false, expected: .finishCancel),
        Row(intent: .remove, expected: .none),
        Row(intent: .removeWithFile, outcome: success, isBeingRenamed: true, expected: .none),
        Row(outcome: success, hasPartial: false, isBeingRenamed: true, expected: .findName),
        Row(outcome: success, hasPartial: false, expected: .none),
        Row(outcome: lost, expected: .none),
        Row(outcome: lost, days: 31, expected: .removePartialFile(partial)),
        Row(outcome: lost, hasPartial: false, days: 31, expected: .none),
        Row(outcome: wrong, expected: .removePartialFile(partial)),
        Row(outcome: .canceled, expected: .removePartialFile(partial)),
        Row(outcome: .canceled, isQuit: true, expected: .none),
        Row(outcome: .canceled, isQuit: true, days: 31, expected: .removePartialFile(partial)),
    ])
    func `follows from the record`(_ row: Row) {
        var record = TransferRecord(
            id: TransferID(rawValue: 1), createdAt: Self.now,
            request: TransferRequest(url: "http://127.0.0.1/x", folder: "/b"), credentials: nil)
        record.intent = row.intent
        record.outcome = row.outcome
        if row.outcome != nil { record.finishedAt = Self.now.addingTimeInterval(-row.days * 86_400) }
        if row.hasPartial { record.facts.partial = Self.partial }
        if row.isQuit { record.facts.cancelReason = 0 }
        if row.isBeingRenamed {
            var placement = PlacementIntent(path: "/b/new", device: 1, inode: 2, size: 5, verified: [])
            placement.formerPath = "/b/old"
            record.facts.placement = placement
        }
        #expect(CleanUp(record, now: Self.now) == row.expected)
    }
}
