// Ferry: FerryStoreTests
// Statements about many transfers do what is done to one.

import FerryCore
@testable import FerryStore
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Many transfers at once` {
    private let journal: any Journal
    private let session: SessionID
    private let now = ActiveTime.Instant(
        wall: Date(timeIntervalSince1970: 1_700_000_100), boot: "boot", uptime: 1000)

    init() throws {
        journal = try SQLiteJournal.inMemory(logger: Sample.quiet)
        session = try SessionID("app")
    }

    private func execute(_ sql: String) async throws {
        try await journal.commit { transaction throws(TransferError) in try transaction.connection.execute(sql) }
    }

    private func records(_ ids: [TransferID]) async throws -> [TransferRecord] {
        try await journal.read { reader throws(TransferError) in try reader.records(ids) }
    }

    private func record(
        _ number: UInt64, _ change: (inout TransferRecord) -> Void = { _ in }
    ) throws -> TransferRecord {
        var record = try Sample.record(number, session: session.name)
        record.active.begin(at: ActiveTime.Instant(wall: Sample.moment, boot: "boot", uptime: 990.5))
        change(&record)
        return record
    }

    // MARK: Batches

    @Test func `a row like a template is the row that is stored alone`() async throws {
        var template = try record(1)
        template.request.tags = ["a", "b"]
        template.request.headers = [HeaderField(name: "X", value: "y")]
        template.request.note = ClientNote(application: "a", identifier: "i", task: 3, kind: .download, data: "")
        template.facts.startsAfterRelaunch = true
        var alone = TransferRecord(
            id: Sample.id(2), createdAt: template.createdAt, request: template.request,
            credentials: Credentials(user: "u", password: "ü\"\\"))
        alone.active = template.active
        alone.facts = template.facts
        alone.facts.destination = "/f/ü \"quoted\" \\ \u{1}"
        alone.request.url = "http://b.example:81/ü?\"'"
        alone.request.folder = "/f"
        alone.request.name = "ü \"quoted\" \\ \u{1}"
        alone.request.note?.data = #"{"id":"ü"}"#
        let row = BatchRow(
            id: alone.id, url: alone.request.url, origin: "http://b.example:81", credentials: alone.credentials,
            folder: "/f", name: alone.request.name, data: alone.request.note?.data)
        let like = try journal.prepare(template)
        let path = alone.facts.destination
        let stored = try await journal.commit { transaction throws(TransferError) in
            [
                try transaction.insert(row, like: like, destination: path),
                try transaction.insert(
                    BatchRow(
                        id: Sample.id(3), url: "u", origin: "o", credentials: nil, folder: "/f", name: nil, data: nil),
                    like: like, destination: path),
            ]
        }
        #expect(stored == [true, false])
        #expect(try await records([alone.id, Sample.id(3)]) == [alone])
        var filter = JournalFilter()
        filter.tag = "b"
        #expect(try await journal.page(filter) == [alone])
        let holder = try await journal.read { reader throws(TransferError) in
            try reader.held([path ?? "", "/f/other"])
        }
        #expect(holder == [path ?? ""])
    }

    // MARK: Lists

    @Test func `a list shows what the whole record shows`() async throws {
        var ended = try Sample.fullRecord(3)
        ended.outcome = Sample.success
        ended.finishedAt = Sample.moment
        ended.facts.notes = ["note"]
        ended.facts.startedAt = Sample.moment
        ended.facts.bodySent = 4
        ended.facts.startedOver = 1
        ended.facts.ranges.insert(0..<5)
        var failed = try Sample.record(4)
        failed.outcome = .failed(TransferError(.offline, "No network."))
        failed.request.body = .bytes(Data([1, 2]))
        failed.request.method = "PUT"
        failed.request.notBefore = Sample.moment
        failed.request.insecure = true
        failed.request.network.allowsCellular = false
        failed.request.note = ClientNote(application: "a", identifier: "i", task: 3, kind: .data, data: "d")
        failed.facts.lengthVerified = false
        failed.facts.cancelReason = 0
        var canceled = try Sample.record(5)
        canceled.intent = .cancel
        canceled.outcome = .canceled
        canceled.facts.cancelReason = 0
        let records = [try Sample.record(1), try Sample.fullRecord(2), ended, failed, canceled]
        try await Sample.insert(records, into: journal)
        let listed = try await journal.read { reader throws(TransferError) in try reader.listing(JournalFilter()) }
        #expect(
            listed.map { Transfer($0.record, live: .waiting(.slot)) }
                == records.map { Transfer($0, live: .waiting(.slot)) })
        #expect(listed.map(\.record.isEligible) == records.map(\.isEligible))
        #expect(listed.map(\.record.request.network) == records.map(\.request.network))
        #expect(Set(listed.map(\.origin)) == ["https://example.com:443"])
        var newest = JournalFilter()
        newest.newestFirst = true
        newest.limit = 2
        let last = try await journal.read { [newest] reader throws(TransferError) in try reader.listing(newest) }
        #expect(last.map(\.record.id) == [canceled.id, failed.id])
    }

    @Test(arguments: ["request = '{'", "facts = 'no'", "outcome = '[1]'", "intent = 'other'", "retry = '{}'"])
    func `a row that cannot be read is listed as failed, and stops no other`(change: String) async throws {
        let records = try (1...3).map { try Sample.record($0) }
        try await Sample.insert(records, into: journal)
        let table = change.hasPrefix("request") ? "requests" : "transfers"
        try await execute("UPDATE \(table) SET \(change) WHERE id = \(records[1].id.column)")
        let listed = try await journal.read { reader throws(TransferError) in try reader.listing(JournalFilter()) }
        #expect(listed.map(\.record.id) == records.map(\.id))
        let states = listed.map { Transfer($0.record, live: .waiting(.slot)) }
        #expect(states.map(\.state) == [.waiting, .failed, .waiting])
        #expect(states[1].error?.code == .journalFailed)
    }

    // MARK: Actions

    @Test func `a pause stores what pausing one stores`() async throws {
        let waiting = try record(1) { record in
            record.retry = RetryPlan(
                at: Sample.moment, delay: 4, reason: .retry, error: TransferError(.connectionLost, "Reset."))
        }
        let rebooted = try record(2) { record in
            record.active = ActiveTime()
            record.active.begin(at: ActiveTime.Instant(wall: Sample.moment, boot: "other", uptime: 1))
        }
        let ended = try record(3) { $0.outcome = .failed(TransferError(.offline, "No network.")) }
        let other = try Sample.record(4)
        let all = [waiting, rebooted, ended, other]
        try await Sample.insert(all, into: journal)
        let (session, now) = (session, now)
        let run = try await journal.commit { transaction throws(TransferError) in
            try transaction.suspend(all.map(\.id), of: session, at: now)
        }
        #expect(run.ids == [waiting.id, rebooted.id] && run.kind == .suspended && run.last == run.first + 1)
        let found = try await records(all.map(\.id))
        for (before, after) in zip([waiting, rebooted], found) {
            var machine = TransferMachine(before)
            _ = machine.wished(.pause, at: WishMoment(now: now))
            // Suspended time does not count.
            #expect(after.active.seconds(at: now) == after.active.seconds(at: .init(wall: .now, boot: nil, uptime: 0)))
            #expect(after == machine.record)
        }
        #expect(found[2] == ended && found[3] == other)
        let events = try await journal.read { reader throws(TransferError) in
            try reader.events(after: 0, session: session, limit: 10)
        }
        #expect(events.map(\.number) == [run.first, run.last] && events.map(\.id) == run.ids)
    }

    @Test func `a start stores what starting one stores`() async throws {
        let suspended = try record(1) { record in
            record.intent = .suspend
            record.active.suspend(at: now)
            record.facts.restarts = 2
            record.facts.destination = "/f/1"
        }
        let fresh = try record(2) { record in
            record.intent = .suspend
            record.active = ActiveTime()
        }
        let failed = try record(3) { record in
            record.outcome = .failed(TransferError(.offline, "No network."))
            record.finishedAt = Sample.moment
            record.facts.destination = "/f/3"
            record.facts.partial = Sample.partial
        }
        let robbed = try record(4) { record in
            record.outcome = .canceled
            record.facts.destination = "/f/1"
        }
        let all = [suspended, fresh, failed, robbed]
        try await Sample.insert(all, into: journal)
        let (session, moment) = (session, now)
        let run = try await journal.commit { transaction throws(TransferError) in
            try transaction.begin(all.map(\.id), of: session, delayed: [], at: moment)
        }
        #expect(run.events.ids == all.map(\.id) && run.events.kind == .resumed && run.lacking == [])
        let found = try await records(all.map(\.id))
        for (before, after) in zip(all, found) {
            var machine = TransferMachine(before)
            _ = machine.wished(.start, at: WishMoment(now: now))
            var expected = machine.record
            if before.id == robbed.id { expected.facts.destination = nil }
            #expect(after == expected)
        }
        let pending = try await journal.read { reader throws(TransferError) in try reader.pending(all.map(\.id)) }
        #expect(pending.map(\.id) == all.map(\.id))
        #expect(pending.map(\.due) == found.map(\.due))
    }

    @Test func `what is being forgotten is known until its files are gone`() async throws {
        let plain = try record(1)
        let partial = try record(2) { $0.facts.partial = Sample.partial }
        let live = try record(3)
        let succeeded = try record(4) { record in
            record.outcome = Sample.success
            record.facts.placement = PlacementIntent(path: "/f/4", device: 1, inode: .max, size: 5, verified: [])
        }
        let all = [plain, partial, live, succeeded]
        try await Sample.insert(all, into: journal)
        let session = session
        let (removed, begun) = try await journal.commit { transaction throws(TransferError) in
            try transaction.remove(
                all.map(\.id), of: session, intent: .removeWithFile, sparesSucceeded: false, live: [live.id],
                at: Sample.moment)
        }
        #expect(removed.ids == [plain.id])
        #expect(begun == [partial.id, live.id, succeeded.id])
        #expect(try await journal.counts() == [.canceling: 3])
        let remains = try await journal.read { reader throws(TransferError) in try reader.remains(of: nil) }
        #expect(remains.map(\.id) == begun && remains.allSatisfy { $0.session == session })
        #expect(remains.map(\.partial) == [Sample.partial, nil, nil])
        #expect(remains.map(\.placed) == [nil, nil, succeeded.facts.placement])
        #expect(remains.map(\.request?.folder) == Array(repeating: "/home/u/Downloads", count: 3))
        let end = try await journal.commit { transaction throws(TransferError) in
            try transaction.forget(begun, of: session, at: Sample.moment)
        }
        #expect(end.ids == begun && end.first == removed.last + 1)
        #expect(try await journal.counts() == [:])
    }

    @Test func `what is forgotten leaves no row behind`() async throws {
        let all = try (1...3).map { number in try record(number) { $0.request.tags = ["a"] } }
        try await Sample.insert(all, into: journal)
        let (session, ids) = (session, all.map(\.id))
        try await journal.commit { transaction throws(TransferError) in
            try transaction.delete(ids[0])
            _ = try transaction.forget(Array(ids.dropFirst()), of: session, at: Sample.moment)
        }
        let left = try await journal.read { reader throws(TransferError) in
            try ["transfers", "requests", "transfer_tags"].map { table throws(TransferError) in
                try reader.connection.row("SELECT count(*) FROM \(table)").flatMap { RowReader($0).integer(0) }
            }
        }
        #expect(left == [0, 0, 0])
    }

    @Test func `rows that cannot be read hold up no action on the others`() async throws {
        let all = try (1...3).map { number in try record(number) }
        try await Sample.insert(all, into: journal)
        try await execute(
            "UPDATE transfers SET facts = '{', active = '{' WHERE id = \(all[1].id.column)")
        try await execute("UPDATE requests SET request = '{' WHERE id = \(all[1].id.column)")
        let (session, now, ids) = (session, now, all.map(\.id))
        let runs = try await journal.commit { transaction throws(TransferError) in
            [
                try transaction.suspend(ids, of: session, at: now),
                try transaction.begin(ids, of: session, delayed: [], at: now).events,
                try transaction.remove(
                    ids, of: session, intent: .removeWithFile, sparesSucceeded: false, live: Set(ids), at: now.wall
                ).removed,
            ]
        }
        #expect(runs.map(\.ids) == [ids, ids, []])
        let remains = try await journal.read { reader throws(TransferError) in try reader.remains(of: nil) }
        #expect(remains.map(\.id) == ids && remains[1].request == nil)
    }
}
