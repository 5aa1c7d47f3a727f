import FerryCore
import FerryQueue
import FerryRules
import Foundation
import JournalKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Events of both journals` {
    private func append(
        _ count: Int, session: String, to journal: any Journal, at: Date = Sample.moment
    ) async throws -> [Int64] {
        let session = try SessionID(session)
        return try await journal.commit { transaction throws(ServiceError) in
            var numbers: [Int64] = []
            for number in 0..<count {
                numbers.append(
                    try transaction.appendEvent(
                        kind: .submitted, at: at, id: Sample.id(UInt64(number + 1)), session: session, snapshot: nil))
            }
            return numbers
        }
    }

    private func numbers(in journal: any Journal, session: String? = nil, ids: Set<TransferID>? = nil) async throws
        -> [Int64?]
    {
        let session = try session.map { try SessionID($0) }
        return try await journal.read { reader throws(ServiceError) in
            try reader.events(after: 0, session: session, ids: ids, limit: 100).map(\.number)
        }
    }

    @Test(arguments: JournalKind.allCases) func `numbers are never used again`(kind: JournalKind) async throws {
        let journal = try kind.open()
        #expect(try await journal.read { reader throws(ServiceError) in try reader.lastEventNumber } == 0)
        #expect(try await append(3, session: "a", to: journal) == [1, 2, 3])
        try await journal.commit { transaction throws(ServiceError) in
            try transaction.acknowledge(try SessionID("a"), through: 3)
        }
        #expect(try await numbers(in: journal) == [])
        #expect(try await journal.read { reader throws(ServiceError) in try reader.lastEventNumber } == 3)
        #expect(try await append(1, session: "a", to: journal) == [4])
    }

    @Test(arguments: JournalKind.allCases)
    func `acknowledging deletes the events of one session`(kind: JournalKind) async throws {
        let journal = try kind.open()
        _ = try await append(2, session: "a", to: journal)
        _ = try await append(2, session: "b", to: journal)
        _ = try await append(2, session: "a", to: journal)
        try await journal.commit { transaction throws(ServiceError) in
            try transaction.acknowledge(try SessionID("a"), through: 5)
        }
        #expect(try await numbers(in: journal) == [3, 4, 6])
        #expect(try await numbers(in: journal, session: "b") == [3, 4])
        #expect(try await numbers(in: journal, ids: [Sample.id(2)]) == [4, 6])
    }

    private func trim(
        _ session: String, in journal: any Journal, isAcknowledged: Bool = false, at now: Date,
        _ change: (inout EventRetention) -> Void = { _ in }
    ) async throws {
        var retention = EventRetention()
        change(&retention)
        let limits = retention.limits(isAcknowledged: isAcknowledged, now: now)
        let session = try SessionID(session)
        while try await journal.commit({ transaction throws(ServiceError) in
            try transaction.trimEvents(of: session, limits)
        }) {}
    }

    @Test(arguments: JournalKind.allCases)
    func `old events are deleted, and excess ones of a session that never acknowledges`(kind: JournalKind)
        async throws
    {
        let journal = try kind.open()
        for number: UInt64 in 1...3 { try await Sample.insert([try Sample.record(number)], into: journal) }
        _ = try await append(3, session: "a", to: journal)
        _ = try await append(1, session: "b", to: journal)
        _ = try await append(1, session: "a", to: journal, at: Sample.moment + 10)
        #expect(
            try await journal.read { reader throws(ServiceError) in try reader.sessionsWithEvents() }.map(\.name)
                == ["a", "b"])
        try await trim("a", in: journal, isAcknowledged: true, at: Sample.moment) { $0.mostUnacknowledged = 2 }
        #expect(try await numbers(in: journal) == [1, 2, 3, 4, 5])
        try await trim("a", in: journal, at: Sample.moment) { $0.mostUnacknowledged = 2 }
        #expect(try await numbers(in: journal) == [3, 4, 5])
        try await trim("a", in: journal, isAcknowledged: true, at: Sample.moment + 12) { $0.lifetime = 5 }
        #expect(try await numbers(in: journal) == [4, 5])
    }

    @Test(arguments: JournalKind.allCases)
    func `events of removed transfers go, but the one that says so`(kind: JournalKind) async throws {
        let journal = try kind.open()
        let record = try Sample.record(1)
        try await Sample.insert([record], into: journal)
        _ = try await append(2, session: "cli", to: journal)
        try await journal.commit { transaction throws(ServiceError) in
            try transaction.appendEvent(
                kind: .removed, at: Sample.moment, id: Sample.id(2), session: .cli, snapshot: nil)
        }
        try await trim("cli", in: journal, at: Sample.moment + 3599)
        #expect(try await numbers(in: journal) == [1, 2, 3])
        try await trim("cli", in: journal, isAcknowledged: true, at: Sample.moment + 3601)
        #expect(try await numbers(in: journal) == [1, 2, 3])
        try await trim("cli", in: journal, at: Sample.moment + 3601)
        #expect(try await numbers(in: journal) == [1, 3])
    }

    @Test(arguments: JournalKind.allCases)
    func `an event shows its snapshot, else its transfer as it is, else nothing`(kind: JournalKind) async throws {
        let journal = try kind.open()
        let record = try Sample.fullRecord(1)
        let snapshot = Transfer(record, live: .running(received: 7, expected: 9, speed: 1.5))
        let session = record.request.session
        try await journal.commit { transaction throws(ServiceError) in
            try transaction.insert(record)
            for (number, kept) in [(UInt64(1), snapshot), (1, nil), (2, nil)] {
                try transaction.appendEvent(
                    kind: .resumed, at: Sample.moment, id: Sample.id(number), session: session, snapshot: kept)
            }
        }
        let events = try await journal.read { reader throws(ServiceError) in try reader.events(after: 0, limit: 10) }
        #expect(events.map(\.transfer) == [snapshot, Transfer(record, live: .waiting(.slot)), nil])
        #expect(events.map(\.at) == [Sample.moment, Sample.moment, Sample.moment])
        let rest = try await journal.read { reader throws(ServiceError) in try reader.events(after: 1, limit: 1) }
        #expect(rest.map(\.number) == [2])
    }
}
