import FerryCore
import FerryQueue
import FerryRules
import FerryService
import Foundation
import JournalKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct `A commit to either journal` {
    private func filled(_ kind: JournalKind) async throws -> any Journal {
        let journal = try kind.open()
        var records = try (1...6).map { try Sample.record($0, tags: ["a"], destination: $0 == 1 ? "/d/a" : nil) }
        records[1].request.timing.deadline = Sample.moment
        records[2].request.transport.network.allowsCellular = false
        try await Sample.insert(records, into: journal)
        try await journal.commit { transaction throws(ServiceError) in
            try transaction.appendEvents(
                kind: .submitted, at: Sample.moment, ids: (1...6).map { Sample.id($0) }, session: .cli)
            try transaction.finish(Sample.id(6), outcome: Sample.success, at: Sample.moment, facts: TransferFacts())
            _ = try transaction.saveOrder(TransferIDRuns([Sample.id(3), Sample.id(1)]), of: .cli)
        }
        return journal
    }

    /// A value left out here is not reset.
    @Test(arguments: JournalKind.allCases)
    func `whose body throws changes nothing`(kind: JournalKind) async throws {
        let journal = try await filled(kind)
        let before = try await JournalContent.found(in: journal)
        let record = try Sample.fullRecord(20)
        let end = try journal.prepare(
            TransferEnd(before.records[4], Sample.success, at: Sample.moment))
        let template = try journal.prepare(record)
        let error = await #expect(throws: ServiceError.self) {
            try await journal.commit { transaction throws(ServiceError) in
                try transaction.insert(record)
                let row = BatchRow(
                    id: Sample.id(21), url: "http://a/", origin: "http://a:80", credentials: nil, folder: "/f",
                    name: nil,
                    data: nil)
                _ = try transaction.insert(row, like: template, destination: "/d/b")
                try transaction.delete(Sample.id(1))
                _ = try transaction.claimDestination("/d/a", for: Sample.id(2))
                _ = try transaction.claimDestination("/d/c", for: Sample.id(2))
                var changed = before.records[2]
                changed.request.tags = []
                changed.request.session = try SessionID("other")
                changed.intent = .suspend
                try transaction.update(changed)
                #expect(try transaction.finish(end) == 7)
                try transaction.acknowledge(.cli, through: 3)
                try transaction.appendEvent(
                    kind: .removed, at: Sample.moment, id: Sample.id(1), session: .cli, snapshot: nil)
                _ = try transaction.forget([Sample.id(4), Sample.id(6)], of: .cli, at: Sample.moment)
                try transaction.saveSettings(ServiceSettings())
                try transaction.saveSession(try SessionID("made"), SessionSettings())
                _ = try transaction.saveOrder(TransferIDRuns([Sample.id(2)]), of: .cli)
                try transaction.saveApplication("app", ApplicationRecord())
                // A transaction reads its own changes.
                #expect(try JournalContent(transaction) != before)
                throw ServiceError(.invalidRequest, "No.")
            }
        }
        #expect(error?.code == .invalidRequest)
        #expect(try await JournalContent.found(in: journal) == before)
        // Event numbers continue where they were.
        let number = try await journal.commit { transaction throws(ServiceError) in
            try transaction.appendEvent(
                kind: .removed, at: Sample.moment, id: Sample.id(1), session: .cli, snapshot: nil)
        }
        #expect(number == 7)
        await journal.close()
    }

    @Test(arguments: JournalKind.allCases)
    func `is shown by the revision, except those of running transfers`(kind: JournalKind) async throws {
        let journal = try kind.open()
        let before = journal.revision
        let during = try await journal.commit { [journal] _ throws(ServiceError) in journal.revision }
        let after = journal.revision
        #expect(during != before && after != during && after != before)
        try await journal.commit(ofRunning: true) { _ throws(ServiceError) in }
        #expect(journal.revision == after)
        // The failed change to a running transfer may make it ready again.
        await #expect(throws: ServiceError.self) {
            try await journal.commit(ofRunning: true) { _ throws(ServiceError) in
                throw ServiceError(.invalidRequest, "No.")
            }
        }
        #expect(journal.revision != after)
        await journal.close()
    }

    @Test(arguments: JournalKind.allCases)
    func `fails once it is closed, and so does a reading`(kind: JournalKind) async throws {
        let journal = try await filled(kind)
        #expect(await journal.reclaim() == false)
        await journal.releaseMemory()
        await journal.close()
        await journal.close()
        await #expect(throws: ServiceError.self) { try await journal.record(Sample.id(1)) }
        let error = await #expect(throws: ServiceError.self) {
            try await journal.commit { transaction throws(ServiceError) in try transaction.delete(Sample.id(1)) }
        }
        #expect(error?.code == .journalFailed)
    }

    @Test(arguments: JournalKind.allCases)
    func `of many callers at a time has the changes of all`(kind: JournalKind) async throws {
        let journal = try kind.open()
        try await withThrowingTaskGroup { group in
            for number in UInt64(1)...50 {
                group.addTask {
                    try await Sample.insert([try Sample.record(number)], into: journal)
                    try await journal.commit { transaction throws(ServiceError) in
                        try transaction.appendEvent(
                            kind: .submitted, at: Sample.moment, id: Sample.id(number), session: .cli, snapshot: nil)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await journal.counts() == [.pending: 50])
        let events = try await journal.read { reader throws(ServiceError) in try reader.events(after: 0, limit: 100) }
        #expect(events.map(\.number) == (1...50).map { Int64($0) } && Set(events.map(\.id)).count == 50)
        await journal.close()
    }
}
