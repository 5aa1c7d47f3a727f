import FerryCore
import FerryQueue
import FerryRules
import Foundation
import JournalKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Lines of both journals` {
    private static let end = Sample.id(1000)

    private func lines(_ journal: any Journal) async throws -> [(StoredQueueKey, [TransferID])] {
        try await journal.read { reader throws(ServiceError) in
            var found: [(StoredQueueKey, [TransferID])] = []
            for line in try reader.lines().lines {
                found.append((line, try reader.ids(in: line, after: nil, through: Self.end, limit: 100)))
            }
            return found
        }
    }

    private func timed(_ journal: any Journal) async throws -> [TransferID] {
        try await journal.read { reader throws(ServiceError) in
            var found: [TransferID] = []
            try reader.forEachPending(.timed) { found.append($0.id) }
            return found
        }
    }

    @Test(arguments: JournalKind.allCases)
    func `hold those that wait alike, oldest first`(kind: JournalKind) async throws {
        let journal = try kind.open()
        var records = try (UInt64(1)...8).map { try Sample.record($0) }
        records[1].request.url = "http://other.example/"
        records[2].request.session = try SessionID("b")
        records[3].request.timing.priority = .high
        records[4].request.transport.network.allowsCellular = false
        records[5].request.transport.network.allowsCellular = false
        records[6].intent = .suspend
        records[7].request.timing.deadline = Sample.moment
        records[7].request.timing.resourceTimeout = 60
        try await Sample.insert(records.reversed(), into: journal)
        let found = try await lines(journal)
        #expect(
            Set(found.map(\.1)) == [[1, 8], [2], [3], [4], [5, 6]].reduce(into: []) { $0.insert($1.map(Sample.id)) })
        for (line, ids) in found {
            let record = try #require(records.first { $0.id == ids[0] })
            #expect(StoredQueueKey(record, origin: line.origin) == line)
            #expect(line.network == record.request.transport.network && line.session == record.request.session)
        }
        #expect(try await timed(journal) == [])
        await journal.close()
    }

    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let change: @Sendable (inout TransferRecord) -> Void

        init(_ name: String, _ change: @escaping @Sendable (inout TransferRecord) -> Void) {
            testDescription = name
            self.change = change
        }
    }

    static let changes = [
        Change("retry") { $0.retry = try? Sample.fullRecord(1).retry },
        Change("begin") { $0.request.timing.notBefore = Sample.moment },
        Change("launch") { $0.facts.startsAfterRelaunch = true },
    ]

    @Test(arguments: JournalKind.allCases, changes)
    func `keep no transfer that waits for a time of its own`(kind: JournalKind, change: Change) async throws {
        let journal = try kind.open()
        var record = try Sample.record(1)
        change.change(&record)
        record = try await Sample.stored(record, in: journal)
        try await Sample.insert([try Sample.record(2)], into: journal)
        #expect(try await lines(journal).map(\.1) == [[Sample.id(2)]])
        #expect(try await timed(journal) == [record.id])
        // Once it waits for nothing else, it is ready.
        var plain = try Sample.record(1)
        plain.revision = record.revision
        try await journal.commit { [plain] transaction throws(ServiceError) in try transaction.update(plain) }
        #expect(try await lines(journal).map(\.1) == [[Sample.id(1), Sample.id(2)]])
        #expect(try await timed(journal) == [])
        await journal.close()
    }

    @Test(arguments: JournalKind.allCases)
    func `are read on from where the last reading ended`(kind: JournalKind) async throws {
        let journal = try kind.open()
        try await Sample.insert(try (UInt64(1)...9).map { try Sample.record($0) }, into: journal)
        let pages = try await journal.read { reader throws(ServiceError) in
            let line = try reader.lines().lines[0]
            return [
                try reader.ids(in: line, after: nil, through: Self.end, limit: 4),
                try reader.ids(in: line, after: Sample.id(4), through: Self.end, limit: 4),
                try reader.ids(in: line, after: Sample.id(4), through: Sample.id(6), limit: 4),
            ]
        }
        #expect(pages == [[1, 2, 3, 4], [5, 6, 7, 8], [5, 6]].map { $0.map(Sample.id) })
        await journal.close()
    }
}
