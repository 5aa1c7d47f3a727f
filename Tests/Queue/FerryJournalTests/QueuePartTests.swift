import FerryCore
import FerryQueue
import FerryRules
import Foundation
import JournalKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Parts of the queue in both journals` {
    private static let session = SessionID.cli

    /// Ten transfers of a session, some of which are suspended, have ended or have another priority, and one of another session.
    private func journal(_ kind: JournalKind) async throws -> any Journal {
        let journal = try kind.open()
        var records = try (UInt64(1)...10).map { try Sample.record($0) }
        records[6].request.timing.priority = .high
        records[8].request.timing.priority = .low
        records.append(try Sample.record(11, session: "other"))
        try await Sample.insert(records, into: journal)
        try await journal.commit { transaction throws(ServiceError) in
            try transaction.setIntent(Sample.id(3), .suspend)
            for (place, number) in [UInt64(2), 1, 5].enumerated() {
                try transaction.finish(
                    Sample.id(number), outcome: Sample.success,
                    at: Sample.moment.addingTimeInterval(Double(place)), facts: TransferFacts())
            }
            try transaction.setIntent(Sample.id(10), .cancel)
        }
        return journal
    }

    private func ids(
        _ query: QueueQuery, active: [UInt64] = [], in journal: any Journal
    ) async throws -> [UInt64] {
        let ids = try await journal.read { reader throws(ServiceError) in
            try reader.ids(of: query, active: Set(active.map(Sample.id)))
        }
        return ids.map { $0.rawValue - Sample.id(0).rawValue }
    }

    @Test(arguments: JournalKind.allCases)
    func `are sorted by turn, by end and by submission`(kind: JournalKind) async throws {
        let journal = try await journal(kind)
        let active: [UInt64] = [4, 8]
        func all(_ part: QueuePart, reversed: Bool = false) async throws -> [UInt64] {
            try await ids(
                QueueQuery(part, session: Self.session, reversed: reversed), active: active, in: journal)
        }
        #expect(try await all(.active) == [4, 8])
        #expect(try await all(.waiting) == [7, 3, 6, 9])
        #expect(try await all(.ended) == [2, 1, 5, 10])
        for part in QueuePart.allCases {
            #expect(try await all(part, reversed: true) == Array(try await all(part).reversed()))
        }
    }

    @Test(arguments: JournalKind.allCases)
    func `follow the order of the session within each priority`(kind: JournalKind) async throws {
        let journal = try await journal(kind)
        try await journal.commit { transaction throws(ServiceError) in
            _ = try transaction.saveOrder(
                TransferIDRuns([9, 8, 1, 6].map(Sample.id)), of: Self.session)
        }
        #expect(try await ids(QueueQuery(.waiting, session: Self.session), in: journal) == [7, 8, 6, 3, 4, 9])
        #expect(
            try await ids(QueueQuery(.waiting, session: Self.session, reversed: true), in: journal)
                == [9, 4, 3, 6, 8, 7])
        #expect(try await ids(QueueQuery(.waiting), in: journal) == [7, 3, 4, 6, 8, 11, 9])
    }

    @Test(arguments: JournalKind.allCases)
    func `are read a page at a time from both ends`(kind: JournalKind) async throws {
        let journal = try await journal(kind)
        try await journal.commit { transaction throws(ServiceError) in
            _ = try transaction.saveOrder(TransferIDRuns([8, 6].map(Sample.id)), of: Self.session)
        }
        for part in QueuePart.allCases {
            for reversed in [false, true] {
                let active: [UInt64] = part == .active ? [3, 4, 8] : [4]
                var query = QueueQuery(part, session: Self.session, reversed: reversed)
                let all = try await ids(query, active: active, in: journal)
                for offset in 0...all.count + 1 {
                    for limit in [0, 1, 2, 9] {
                        query.offset = offset
                        query.limit = limit
                        #expect(
                            try await ids(query, active: active, in: journal)
                                == Array(all.dropFirst(offset).prefix(limit)))
                    }
                }
            }
        }
    }

    @Test(arguments: JournalKind.allCases)
    func `follow an order that names more than is looked up at once`(kind: JournalKind) async throws {
        let journal = try kind.open()
        try await Sample.insert(try (UInt64(1)...700).map { try Sample.record($0) }, into: journal)
        let order = Array((UInt64(1)...600).reversed())
        try await journal.commit { transaction throws(ServiceError) in
            _ = try transaction.saveOrder(TransferIDRuns(order.map(Sample.id)), of: Self.session)
        }
        let all = order + Array(UInt64(601)...700)
        for (offset, limit) in [(0, 700), (0, 3), (255, 4), (598, 5)] {
            let query = QueueQuery(.waiting, session: Self.session, offset: offset, limit: limit)
            #expect(try await ids(query, in: journal) == Array(all.dropFirst(offset).prefix(limit)))
            let reversed = QueueQuery(.waiting, session: Self.session, offset: offset, limit: limit, reversed: true)
            #expect(
                try await ids(reversed, in: journal) == Array(all.reversed().dropFirst(offset).prefix(limit)))
        }
    }

    static let moves: [(id: UInt64, move: QueueMove, place: Int?, line: [UInt64])] = [
        (6, QueueMove(0), 1, [7, 6, 3, 8, 9]), (3, QueueMove(9), 3, [7, 6, 8, 3, 9]),
        (3, QueueMove(1, from: .current), 2, [7, 6, 3, 8, 9]), (8, QueueMove(-1, from: .current), 2, [7, 3, 8, 6, 9]),
        (3, QueueMove(-1, from: .end), 3, [7, 6, 8, 3, 9]), (8, QueueMove(.min, from: .end), 1, [7, 8, 3, 6, 9]),
        (6, QueueMove(.max, from: .current), 3, [7, 3, 8, 6, 9]), (7, QueueMove(4), 0, [7, 3, 6, 8, 9]),
        (9, QueueMove(0), 4, [7, 3, 6, 8, 9]), (4, QueueMove(0), nil, [7, 3, 6, 8, 9]),
        (1, QueueMove(0), nil, [7, 3, 6, 8, 9]), (10, QueueMove(0), nil, [7, 3, 6, 8, 9]),
    ]

    @Test(arguments: JournalKind.allCases)
    func `let a waiting transfer move among those of its priority`(kind: JournalKind) async throws {
        for (id, move, place, line) in Self.moves {
            let journal = try await journal(kind)
            let moved = try await journal.commit { transaction throws(ServiceError) in
                try transaction.move(
                    Sample.id(id), of: Self.session, to: move, excluding: [Sample.id(4)])?.place
            }
            #expect(moved == place, "\(id) \(move)")
            let query = QueueQuery(.waiting, session: Self.session)
            #expect(try await ids(query, active: [4], in: journal) == line, "\(id) \(move)")
        }
    }

    @Test(arguments: JournalKind.allCases)
    func `keep an order through one move after another`(kind: JournalKind) async throws {
        let journal = try kind.open()
        var line = Array(UInt64(1)...20)
        try await Sample.insert(try line.map { try Sample.record($0) }, into: journal)
        for step in 0..<100 {
            let (old, new) = (step * 7 % 20, (step * step + 3) % 20)
            let id = line.remove(at: old)
            line.insert(id, at: new)
            let place = try await journal.commit { transaction throws(ServiceError) in
                try transaction.move(Sample.id(id), of: Self.session, to: QueueMove(new), excluding: [])?.place
            }
            #expect(place == new)
            #expect(try await ids(QueueQuery(.waiting, session: Self.session), in: journal) == line)
        }
    }

    @Test(arguments: JournalKind.allCases)
    func `find a transfer by the beginning of a tag`(kind: JournalKind) async throws {
        let journal = try kind.open()
        let tags = ["gid:00ab", "gid:00ac", "gid:01", "gid", "gid;", "x"]
        try await Sample.insert(
            try tags.enumerated().map { try Sample.record(UInt64($0 + 1), tags: [$1]) }, into: journal)
        for (prefix, found) in [
            ("gid:", [1, 2, 3]), ("gid:00", [1, 2]), ("gid:00ab", [1]), ("gid:1", []), ("gid", [1, 2, 3, 4, 5]),
        ] as [(String, [UInt64])] {
            var filter = JournalFilter()
            filter.tagPrefix = prefix
            let ids = try await journal.page(filter).map { $0.id.rawValue - Sample.id(0).rawValue }
            #expect(ids.sorted() == found, "\(prefix)")
        }
    }
}
