// Ferry: FerryCoreTests
// What is left to do on disk for transfers that no run works on.

import FerryCore
import Foundation
import Testing

@Suite struct `What is left to clean up` {
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

    private static let lost = Outcome.failed(TransferError(.connectionLost, "Lost."))
    private static let wrong = Outcome.failed(TransferError(.digestMismatch, "Wrong."))
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
