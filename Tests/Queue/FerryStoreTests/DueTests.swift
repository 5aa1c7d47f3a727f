import FerryCore
@testable import FerryStore
import FerryQueue
import FerryRules
import Foundation
import GRDB
import JournalKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Deadlines` {
    private static let started = ActiveTime.Instant(wall: Sample.moment, boot: "boot", uptime: 990.5)
    private static let now = ActiveTime.Instant(wall: Sample.moment + 100, boot: "boot", uptime: 1090.5)

    private static func record(
        _ number: UInt64, _ change: (inout TransferRecord) -> Void = { _ in }
    ) throws -> TransferRecord {
        var record = try Sample.record(number)
        record.request.timing.resourceTimeout = 60
        record.active.begin(at: started)
        change(&record)
        return record
    }

    /// Returns the due columns of all transfers, oldest first.
    private func dues(_ journal: any Journal) async throws -> [Int64?] {
        try await journal.read { reader throws(ServiceError) in
            var found: [Int64?] = []
            try reader.connection.forEachRow("SELECT due FROM transfers ORDER BY id") { found.append($0.integer(0)) }
            return found
        }
    }

    /// Returns the transfers due within a range of time.
    private func found(
        _ journal: any Journal, from start: Date? = nil, through end: Date = .distantFuture
    ) async throws -> [TransferID] {
        try await journal.read { reader throws(ServiceError) in
            try reader.due(after: nil, from: start, through: end, limit: 100).map(\.id)
        }
    }

    @Test func `are stored with each change of a transfer`() async throws {
        let journal = try SQLiteJournal.inMemory(logger: Sample.quiet)
        var record = try Self.record(1)
        try await Sample.insert([record], into: journal)
        let changes: [(Bool, @Sendable (inout TransferRecord) -> Void)] = [
            (true, { $0.retry = try? Sample.fullRecord(1).retry }),
            (true, { $0.request.timing.deadline = Sample.moment + 10 }),
            (
                false,
                { record in
                    record.intent = .suspend
                    record.active.suspend(at: Self.now)
                }
            ),
            (
                true,
                { record in
                    record.intent = .run
                    record.active.begin(at: Self.now)
                }
            ),
            (true, { $0.request.timing.deadline = nil }),
            (false, { $0.outcome = .canceled }),
        ]
        #expect(try await dues(journal) == [(Sample.moment + 60).journalMilliseconds])
        for (isFound, change) in changes {
            change(&record)
            record.revision = try #require(try await journal.record(record.id)).revision
            let changed = record
            try await journal.commit { transaction throws(ServiceError) in try transaction.update(changed) }
            #expect(try await dues(journal) == [record.due?.journalMilliseconds])
            #expect(try await found(journal) == (isFound ? [record.id] : []))
        }
        await journal.close()
    }

    @Test func `of a batch and of a list are those of their template`() async throws {
        let journal = try SQLiteJournal.inMemory(logger: Sample.quiet)
        let (template, list) = (BatchTemplate(try Self.record(1)), BatchTemplate(try Self.record(10)))
        var table = URLTable()
        var reader = HTTPURLReader()
        for url in ["http://a/1", "http://user:secret@b/2"] { table.append(try reader.read(Array(url.utf8)[...])) }
        table.finish()
        let (urls, session) = (table, try Self.record(1).request.session)
        try await journal.commit { transaction throws(ServiceError) in
            let row = BatchRow(
                id: Sample.id(1), url: "http://a/", origin: "http://a:80", credentials: nil, folder: "/f", name: nil,
                data: nil)
            _ = try transaction.insert(row, like: template, destination: nil)
            _ = try transaction.insert(urls, like: list, first: Sample.id(10), session: session, at: Sample.moment)
        }
        #expect(try await dues(journal) == Array(repeating: (Sample.moment + 60).journalMilliseconds, count: 3))
        let read = try await journal.read { reader throws(ServiceError) in
            try reader.due(through: .distantFuture, limit: 10)
        }
        #expect(read.map(\.id) == [1, 10, 11].map(Sample.id))
        #expect(read.allSatisfy { $0.due == Sample.moment + 60 })
        await journal.close()
    }

    @Test func `of many that are suspended and resumed are those of each`() async throws {
        let journal = try SQLiteJournal.inMemory(logger: Sample.quiet)
        let all = try [
            Self.record(1), Self.record(2) { $0.request.timing.resourceTimeout = 60.5 },
            Self.record(3) { $0.request.timing.resourceTimeout = nil },
            Self.record(4) { $0.request.timing.deadline = Sample.moment + 5 },
            Self.record(5) { record in
                record.request.timing.resourceTimeout = nil
                record.request.timing.deadline = Sample.moment + 5
            },
            // One never started, and one with its time used up.
            Self.record(6) { record in
                record.intent = .suspend
                record.active = ActiveTime()
            },
            Self.record(7) { record in
                record.intent = .suspend
                record.active.suspend(at: Self.now)
            },
            Self.record(8) { $0.outcome = .failed(ServiceError(.offline, "No network.")) },
            Self.record(9) { $0.outcome = .canceled },
        ]
        try await Sample.insert(all, into: journal)
        let (ids, session, now) = (all.map(\.id), all[0].request.session, Self.now)
        try await journal.commit { transaction throws(ServiceError) in
            _ = try transaction.suspend(ids, of: session, at: now)
        }
        #expect(try await dues(journal) == Array(repeating: nil, count: all.count))
        let later = ActiveTime.Instant(wall: now.wall + 50, boot: "boot", uptime: now.uptime + 50)
        try await journal.commit { transaction throws(ServiceError) in
            _ = try transaction.begin(ids, of: session, delayed: [], at: later)
        }
        let records = try await journal.read { reader throws(ServiceError) in try reader.records(ids) }
        #expect(try await dues(journal) == records.map { $0.due?.journalMilliseconds })
        #expect(records.count { $0.due == nil } == 1 && records.allSatisfy { $0.isEligible })
        #expect(Set(try await found(journal)) == Set(ids.filter { $0 != Sample.id(3) }))
        await journal.close()
    }

    @Test func `are found by index, without a sort`() async throws {
        let journal = try SQLiteJournal.inMemory(logger: Sample.quiet)
        let plans = try await journal.read { reader throws(ServiceError) in
            try reader.connection.run { database in
                try ["due >= 1 AND due <= 2", "due = 1 AND id > 2", "due > 1 AND due <= 2"].map { condition in
                    let sql = "EXPLAIN QUERY PLAN " + WaitingRows.dueSelect(condition)
                    return try Row.fetchAll(database, sql: sql, arguments: [1]).map { $0["detail"] as String }
                }
            }
        }
        for plan in plans {
            #expect(plan.count == 1 && plan[0].hasPrefix("SEARCH transfers USING INDEX transfers_due"), "\(plan)")
        }
        await journal.close()
    }

    @Test func `are found after a restart, and so are the queues`() async throws {
        let folder = try TemporaryFolder()
        let journal = try await Sample.open(folder)
        let all = try [
            Self.record(1), Self.record(2) { $0.request.timing.resourceTimeout = nil },
            Self.record(3) { record in
                record.request.timing.resourceTimeout = 0.5
                record.request.timing.deadline = Sample.moment + 5
            },
            Self.record(4) { $0.request.timing.deadline = Sample.moment + 5 },
            Self.record(5) { record in
                record.active.suspend(at: Self.now)
                record.active.begin(at: Self.now)
            },
            Self.record(6) { record in
                record.intent = .suspend
                record.active.suspend(at: Self.now)
            },
            Self.record(7) { $0.active = ActiveTime() }, Self.record(8) { $0.outcome = .canceled },
            Self.record(9) { $0.retry = try? Sample.fullRecord(1).retry },
            Self.record(10) { $0.request.timing.notBefore = Sample.moment },
            Self.record(11) { $0.facts.startsAfterRelaunch = true },
            Self.record(12) { $0.request.transport.network.allowsCellular = false },
        ]
        try await Sample.insert(all, into: journal)
        await journal.close()
        let again = try await Sample.open(folder)
        #expect(try await again.page() == all)
        #expect(try await dues(again) == all.map { $0.due?.journalMilliseconds })
        let (timed, lines) = try await again.read { reader throws(ServiceError) in
            var timed: [TransferID] = []
            try reader.forEachPending(.timed) { timed.append($0.id) }
            let line = try reader.lines().lines[0]
            return (timed, try reader.ids(in: line, after: nil, through: Sample.id(100), limit: 100))
        }
        #expect(timed == [9, 10, 11].map(Sample.id))
        #expect(lines == [1, 2, 3, 4, 5, 7].map(Sample.id))
        await again.close()
    }
}
