import FerryCore
import FerryRules
import Foundation
import Testing

@Suite struct `A transfer as it is shown` {
    private let start = Date(timeIntervalSince1970: 1_000_000)

    private func record(_ change: (inout TransferRecord) -> Void = { _ in }) -> TransferRecord {
        var request = TransferRequest(url: "http://example.com/a", folder: "/tmp")
        request.response.expectedSize = 500
        request.tags = ["t"]
        var record = TransferRecord(id: TransferID(rawValue: 5), createdAt: start, request: request, credentials: nil)
        record.facts.ranges.insert(0..<100)
        change(&record)
        return record
    }

    @Test(
        arguments: [
            (TransferIntent.run, Transfer.Live.waiting(.host), TransferState.waiting, WaitReason.host),
            (.suspend, .waiting(.slot), .suspended, nil), (.cancel, .waiting(.slot), .suspended, nil),
            (.run, .running(received: 1, expected: nil, speed: nil), .running, nil),
            // A run that was asked to stop runs until its bytes are durable.
            (.suspend, .running(received: 1, expected: nil, speed: nil), .running, nil),
        ] as [(TransferIntent, Transfer.Live, TransferState, WaitReason?)])
    func `its state follows from intent and run`(
        intent: TransferIntent, live: Transfer.Live, state: TransferState, reason: WaitReason?
    ) {
        let transfer = Transfer(record { $0.intent = intent }, live: live)
        #expect(transfer.state == state && transfer.reason == reason)
    }

    @Test func `a waiting transfer shows its durable bytes, a running one its received bytes`() {
        let waiting = Transfer(record(), live: .waiting(.slot))
        #expect(waiting.bytesReceived == 100 && waiting.bytesExpected == 500 && waiting.bytesPerSecond == nil)
        let running = Transfer(record(), live: .running(received: 300, expected: 400, speed: 7))
        #expect(running.bytesReceived == 300 && running.bytesExpected == 400 && running.bytesPerSecond == 7)
        let unknown = Transfer(record(), live: .running(received: 300, expected: nil, speed: nil))
        #expect(unknown.bytesExpected == 500)
    }

    @Test func `a transfer that waits for a retry says when and why`() {
        let error = ServiceError(.serverBusy, "Busy.")
        let plan = RetryPlan(at: start.addingTimeInterval(5), delay: 5, reason: .server, error: error)
        let waiting = Transfer(record { $0.retry = plan }, live: .waiting(.slot))
        #expect(waiting.reason == .server && waiting.error == error && waiting.times.nextAttempt == plan.at)
        let suspended = Transfer(
            record {
                $0.retry = plan
                $0.intent = .suspend
            }, live: .waiting(.slot))
        #expect(suspended.reason == nil && suspended.times.nextAttempt == nil)
    }

    @Test func `an outcome wins over everything else`() {
        let checksum = Checksum(.md5, bytes: [UInt8](repeating: 7, count: 16))
        let success = Outcome.Success(
            path: "/tmp/x", size: 42, verified: [checksum], lengthVerified: false, unchanged: true)
        let live = Transfer.Live.running(received: 1, expected: 2, speed: 3)
        let done = Transfer(record { $0.outcome = .succeeded(success) }, live: live)
        #expect(done.state == .succeeded && done.destination == "/tmp/x" && done.verified == [checksum])
        #expect(done.bytesReceived == 42 && done.bytesExpected == 42 && done.bytesPerSecond == nil)
        #expect(!done.lengthVerified && done.unchanged && done.error == nil)
        let error = ServiceError(.notFound, "Gone.")
        let failed = Transfer(record { $0.outcome = .failed(error) }, live: live)
        #expect(failed.state == .failed && failed.error == error && failed.bytesReceived == 100)
        let canceled = Transfer(record { $0.outcome = .canceled }, live: live)
        #expect(canceled.state == .canceled && canceled.error?.code == .canceled)
    }

    @Test func `V2 an outcome has the digests that differ, and an earlier one has none`() throws {
        let checksum = Checksum(.md5, bytes: [UInt8](repeating: 7, count: 16))
        let outcome = Outcome.succeeded(Outcome.Success(path: "/x", size: 1, verified: [], mismatched: [checksum]))
        let data = try JSONEncoder().encode(outcome)
        #expect(try JSONDecoder().decode(Outcome.self, from: data) == outcome)
        #expect(Transfer(record { $0.outcome = outcome }, live: .waiting(.slot)).mismatched == [checksum])
        let old = #"{"path":"/x","size":1,"verified":[],"lengthVerified":true,"unchanged":false}"#
        #expect(try JSONDecoder().decode(Outcome.Success.self, from: Data(old.utf8)).mismatched == [])
    }

    @Test func `its wire form has every key, and is unchanged by a round trip`() throws {
        let error = ServiceError(.serverBusy, "Busy.", details: ErrorDetails(httpStatus: 503), as: .doubtful)
        let transfer = Transfer(
            record { $0.retry = RetryPlan(at: start, delay: 5, reason: .retry, error: error) }, live: .waiting(.slot))
        let data = try JSONEncoder().encode(transfer)
        #expect(try JSONDecoder().decode(Transfer.self, from: data) == transfer)
        let keys = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any]).keys
        let fewer = try JSONEncoder().encode(Transfer(record(), live: .waiting(.slot)))
        #expect(
            try #require(try JSONSerialization.jsonObject(with: fewer) as? [String: Any]).keys.sorted() == keys.sorted()
        )
        #expect(keys.contains("bytes_per_second") && keys.contains("next_attempt_at"))
    }

    @Test func `words of a newer peer are no errors`() throws {
        let transfer = Transfer(record(), live: .waiting(.slot))
        let text = String(decoding: try JSONEncoder().encode(transfer), as: UTF8.self)
            .replacingOccurrences(of: #""waiting""#, with: #""hovering""#)
            .replacingOccurrences(of: #""slot""#, with: #""moonlight""#)
        let read = try JSONDecoder().decode(Transfer.self, from: Data(text.utf8))
        #expect(read.state == .unknown && read.reason == .unknown)
    }
}

@Suite struct `The plan of a retry` {
    @Test(arguments: [(0.0, 60.0), (20, 40), (60, 0), (500, 0), (-30, 60), (-1e9, 60)])
    func `T7 its rest is never longer than its delay, however the clock was set`(passed: Double, rest: Double) {
        let planned = Date(timeIntervalSince1970: 1_000_000)
        let plan = RetryPlan(
            at: planned.addingTimeInterval(60), delay: 60, reason: .retry, error: ServiceError(.timedOut, "Late."))
        #expect(plan.moment.rest(now: planned.addingTimeInterval(passed)) == rest)
    }
}

@Suite struct `The record of a transfer` {
    private func record(paused: Bool) -> TransferRecord {
        var request = TransferRequest(url: "http://example.com/a", folder: "/tmp")
        request.timing.paused = paused
        return TransferRecord(id: TransferID(rawValue: 5), createdAt: Date(), request: request, credentials: nil)
    }

    @Test func `is eligible while it is to run and has not ended`() {
        var running = record(paused: false)
        #expect(running.isEligible)
        running.intent = .cancel
        #expect(!running.isEligible)
        running.intent = .run
        running.outcome = .canceled
        #expect(!running.isEligible)
        #expect(!record(paused: true).isEligible && record(paused: true).intent == .suspend)
    }

    @Test func `starting over keeps name, place and partial file, and notes why`() {
        var facts = TransferFacts()
        facts.ranges.insert(0..<10)
        facts.name = "a"
        facts.destination = "/tmp/a"
        facts.joined = true
        facts.partial = PartialFacts(
            folder: "/tmp", name: ".ferry-5.part", device: 1, inode: 2, folderDevice: 1, folderInode: 3)
        facts.startOver(note: "changed")
        facts.startOver(note: "changed")
        #expect(facts.ranges.byteCount == 0 && facts.identity == nil && !facts.joined && facts.placement == nil)
        #expect(facts.name == "a" && facts.destination == "/tmp/a" && facts.partial?.path == "/tmp/.ferry-5.part")
        #expect(facts.needsTruncation && facts.notes == ["changed"])
    }

    @Test func `bytes that were on disk before are no gain, unless they are of another version`() {
        var facts = TransferFacts()
        facts.ranges.insert(0..<10)
        #expect(facts.advance() == 10)
        facts.startOver(note: nil, isSameVersion: true)
        facts.ranges.insert(0..<8)
        #expect(facts.advance() == 0 && facts.frontier == 10)
        facts.ranges.insert(20..<24)
        #expect(facts.advance() == 2)
        facts.startOver(note: nil)
        facts.ranges.insert(0..<3)
        #expect(facts.advance() == 3 && facts.frontier == 3)
        facts.giveUpFile()
        #expect(facts.ranges.isEmpty && facts.frontier == 0)
    }

    @Test(arguments: [(Int64(10), Int64(10), false), (25, 10, true), (10, 12, true)])
    func `received bytes and progress are stored where they differ from the disk`(
        spent: Int64, furthest: Int64, isWritten: Bool
    ) throws {
        var facts = TransferFacts()
        facts.ranges.insert(0..<furthest)
        facts.advance()
        facts.ranges.remove(10..<max(11, furthest))
        facts.bytesSpent = spent
        let text = String(decoding: try JSONEncoder().encode(facts), as: UTF8.self)
        #expect((text.contains("bytes_spent") || text.contains("frontier")) == isWritten)
        #expect(try JSONDecoder().decode(TransferFacts.self, from: Data(text.utf8)) == facts)
        let old = try JSONDecoder().decode(TransferFacts.self, from: Data(#"{"ranges":[[0,7]]}"#.utf8))
        #expect(old.bytesSpent == 7 && old.frontier == 7)
    }

    @Test func `its facts are unchanged by the journal`() throws {
        var facts = TransferFacts()
        facts.ranges.insert(5..<10)
        facts.advance()
        facts.bytesSpent = 500
        facts.finalURL = "http://example.com/b"
        facts.placement = PlacementIntent(path: "/tmp/a", device: 1, inode: .max, size: 10, verified: [])
        facts.restarts = 3
        facts.needsTruncation = true
        let data = try JSONEncoder().encode(facts)
        #expect(try JSONDecoder().decode(TransferFacts.self, from: data) == facts)
        for outcome in [
            Outcome.canceled, .failed(ServiceError(.diskFull, "Full.")),
            .succeeded(Outcome.Success(path: "/a", size: 1, verified: [])),
        ] {
            #expect(try JSONDecoder().decode(Outcome.self, from: JSONEncoder().encode(outcome)) == outcome)
        }
    }
}
