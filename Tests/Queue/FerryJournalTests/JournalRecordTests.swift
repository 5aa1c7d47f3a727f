import FerryCore
import FerryQueue
import FerryRules
import Foundation
import JournalKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Transfers in both journals` {
    @Test(arguments: JournalKind.allCases)
    func `are found as they were stored, one by one and together`(kind: JournalKind) async throws {
        let journal = try kind.open()
        var records = try (1...4).map { try Sample.record($0) }
        records.append(try Sample.fullRecord(5))
        records.append(try Sample.record(6, session: "other"))
        try await Sample.insert(records.reversed(), into: journal)
        let ids = records.map(\.id) + [Sample.id(99)]
        let (together, backwards) = try await journal.read { reader throws(ServiceError) in
            (try reader.records(ids), try reader.records(ids.reversed()))
        }
        #expect(together == records && backwards == records.reversed())
        for record in records { #expect(try await journal.record(record.id) == record) }
        #expect(try await journal.record(Sample.id(99)) == nil)
        await journal.close()
    }

    @Test(arguments: JournalKind.allCases)
    func `have ids that are taken once, and the largest is remembered`(kind: JournalKind) async throws {
        let journal = try kind.open()
        #expect(try await journal.lastTransferID() == nil)
        try await Sample.insert([try Sample.record(9), try Sample.record(7)], into: journal)
        let error = await #expect(throws: ServiceError.self) {
            try await Sample.insert([try Sample.record(7)], into: journal)
        }
        #expect(error?.code == .internal)
        try await journal.commit { transaction throws(ServiceError) in try transaction.delete(Sample.id(9)) }
        #expect(try await journal.lastTransferID() == Sample.id(9))
        #expect(try await journal.page().map(\.id) == [Sample.id(7)])
        await journal.close()
    }

    @Test(arguments: JournalKind.allCases)
    func `change only in the named properties`(kind: JournalKind) async throws {
        let journal = try kind.open()
        var record = try await Sample.stored(try Sample.fullRecord(1), in: journal)
        record.facts.restarts = 2
        record.facts.partial = nil
        let expected = record
        try await journal.commit { transaction throws(ServiceError) in
            try transaction.updateFacts(of: expected)
        }
        #expect(try await journal.record(expected.id) == expected)
        #expect(try await journal.counts() == [.pending: 1])
        record.request.tags = ["c"]
        record.request.session = .cli
        record.request.url = "http://other.example/"
        record.outcome = Sample.success
        record.finishedAt = Sample.moment
        let changed = record
        try await journal.commit { transaction throws(ServiceError) in try transaction.update(changed) }
        #expect(try await journal.record(changed.id) == changed)
        #expect(try await journal.counts(.cli) == [.succeeded: 1])
        #expect(try await journal.listing().map(\.origin) == ["http://other.example:80"])
        var filter = JournalFilter()
        filter.tag = "c"
        #expect(try await journal.page(filter).count == 1)
        filter.tag = "a"
        #expect(try await journal.page(filter).isEmpty)
        await journal.close()
    }

    @Test(arguments: JournalKind.allCases)
    func `that are gone are changed by nothing, which undoes nothing`(kind: JournalKind) async throws {
        let journal = try kind.open()
        let record = try Sample.record(1)
        let facts = try journal.prepare(TransferFacts())
        let end = try journal.prepare(TransferEnd(record, Sample.success, at: Sample.moment))
        let found = try await journal.commit { transaction throws(ServiceError) in
            try transaction.saveSettings(ServiceSettings())
            return [
                try transaction.update(record), try transaction.updateFacts(of: record),
                try transaction.updateFacts(record.id, facts), try transaction.put(record, replacing: record),
                try transaction.claimDestination("/d/a", for: record.id, recording: facts),
                try transaction.finish(end) != nil,
                try transaction.delete(record.id),
            ]
        }
        #expect(found == Array(repeating: false, count: 7))
        #expect(try await journal.read { reader throws(ServiceError) in try reader.settings() } != nil)
        await journal.close()
    }

    @Test(arguments: JournalKind.allCases)
    func `of a session are found by their ids, their runs and their phases`(kind: JournalKind) async throws {
        let journal = try kind.open()
        let records = try (1...6).map { try Sample.record($0, session: $0 % 3 == 0 ? "other" : "cli") }
        try await Sample.insert(records, into: journal)
        let ids = records.map(\.id)
        try await journal.commit { transaction throws(ServiceError) in
            try transaction.finish(ids[3], outcome: Sample.success, at: Sample.moment, facts: TransferFacts())
            try transaction.finish(ids[5], outcome: Sample.success, at: Sample.moment, facts: TransferFacts())
        }
        let found = try await journal.read { reader throws(ServiceError) in
            [
                try reader.transfers(of: .cli, among: nil),
                try reader.transfers(of: .cli, among: ids.reversed() + [ids[0], Sample.id(99)]),
                try reader.transfers(of: .cli, within: nil),
                try reader.transfers(of: .cli, within: TransferIDRuns(Array(ids[1...3]) + [Sample.id(99)])),
                try reader.ids(of: .cli, in: .pending),
                try reader.succeeded(of: .cli, among: ids).map(\.id),
            ]
        }
        #expect(
            found == [[1, 2, 4, 5], [1, 2, 4, 5], [1, 2, 4, 5], [2, 4], [1, 2, 5], [4]].map { $0.map(Sample.id) })
        let states = try await journal.read { reader throws(ServiceError) in
            [
                try reader.hasPending(.cli, besides: 2), try reader.hasPending(.cli, besides: 3),
                try reader.hasEnded(.cli), try reader.hasEnded(try SessionID("none")),
                try reader.hasEnded(.cli, after: Sample.moment - 1),
                try reader.hasEnded(.cli, after: Sample.moment + 1),
            ]
        }
        #expect(states == [true, false, true, false, true, false])
        await journal.close()
    }

    @Test(
        arguments: JournalKind.allCases, [Priority.low, .normal, .high, Priority(clamping: -10), Priority(clamping: 7)])
    func `are found again with their priorities`(kind: JournalKind, priority: Priority) async throws {
        let journal = try kind.open()
        var record = try Sample.record(1)
        record.request.timing.priority = priority
        try await Sample.insert([record], into: journal)
        #expect(try await journal.record(record.id) == record)
        let pending = try await journal.read { reader throws(ServiceError) in try reader.pending(of: .cli) }
        #expect(pending.map(\.priority) == [priority])
        await journal.close()
    }

    @Test(arguments: JournalKind.allCases)
    func `that wait come in order with what the queue needs`(kind: JournalKind) async throws {
        let journal = try kind.open()
        let full = try Sample.fullRecord(2)
        var suspended = try Sample.record(3)
        suspended.intent = .suspend
        var late = try Sample.record(4)
        late.request.timing.notBefore = Sample.moment
        late.facts.startsAfterRelaunch = true
        late.request.transport.network.allowsCellular = false
        try await Sample.insert([late, suspended, full, try Sample.record(1)], into: journal)
        let ids = [suspended.id, late.id, full.id, Sample.id(99)]
        let found = try await journal.read { reader throws(ServiceError) in
            var all: [PendingTransfer] = []
            var timed: [PendingTransfer] = []
            try reader.forEachPending(.all) { all.append($0) }
            try reader.forEachPending(.timed) { timed.append($0) }
            return [all, timed, try reader.pending(ids), try reader.pending(of: full.request.session)]
        }
        #expect(found.map { $0.map(\.id) } == [[1, 2, 4], [2, 4], [2, 4], [2]].map { $0.map(Sample.id) })
        let all = found[0]
        #expect(all.map(\.session.name) == ["cli", "app", "cli"])
        #expect(Set(all.map(\.origin)) == ["https://example.com:443"])
        #expect(all.map(\.retry) == [nil, full.retry?.moment, nil])
        #expect(all.map(\.notBefore) == [nil, nil, Sample.moment])
        #expect(all.map(\.due) == [nil, full.due, nil])
        #expect(all.map(\.startsAfterRelaunch) == [false, false, true])
        #expect(all.map(\.network.allowsCellular) == [true, true, false])
        await journal.close()
    }

    @Test(arguments: JournalKind.allCases)
    func `are found by the moments at which their time is over, page by page`(kind: JournalKind) async throws {
        let journal = try kind.open()
        let records = try (UInt64(1)...12).map { number in
            // Three creation times with four transfers each, the last of them at the first time.
            var record = try Sample.record(number)
            record.request.timing.deadline = Sample.moment + Double(3 - number % 3)
            return record
        }
        var suspended = try Sample.record(20)
        suspended.request.timing.deadline = Sample.moment
        suspended.intent = .suspend
        try await Sample.insert(records + [suspended], into: journal)
        for limit in [1, 3, 4, 5, 12, 13] {
            let found = try await journal.read { reader throws(ServiceError) in
                var found: [DueTransfer] = []
                while found.count.isMultiple(of: limit) {
                    let page = try reader.due(after: found.last, through: Sample.moment + 10, limit: limit)
                    if page.isEmpty { break }
                    found += page
                }
                return found
            }
            #expect(found.map(\.id) == [2, 5, 8, 11, 1, 4, 7, 10, 3, 6, 9, 12].map(Sample.id))
            #expect(found.map(\.due) == (4..<16).map { Sample.moment + Double($0 / 4) })
        }
        let (early, late) = try await journal.read { reader throws(ServiceError) in
            (
                try reader.due(through: Sample.moment + 1, limit: 100),
                try reader.due(after: nil, from: Sample.moment + 3, through: .distantFuture, limit: 100)
            )
        }
        #expect(early.map(\.id) == [2, 5, 8, 11].map(Sample.id) && late.map(\.id) == [3, 6, 9, 12].map(Sample.id))
        await journal.close()
    }

    @Test(arguments: JournalKind.allCases)
    func `that have something left to do are found`(kind: JournalKind) async throws {
        let journal = try kind.open()
        var spooled = try Sample.record(6)
        spooled.request.file.spooled = true
        try await Sample.insert(try (1...5).map { try Sample.record($0) } + [spooled], into: journal)
        let last = spooled.id
        try await journal.commit { transaction throws(ServiceError) in
            var facts = TransferFacts()
            facts.partial = Sample.partial
            try transaction.updateFacts(Sample.id(1), StoredFacts(facts))
            try transaction.setIntent(Sample.id(2), .cancel)
            try transaction.finish(Sample.id(3), outcome: .canceled, at: Sample.moment, facts: facts)
            try transaction.finish(Sample.id(4), outcome: .canceled, at: Sample.moment, facts: TransferFacts())
            try transaction.finish(Sample.id(5), outcome: Sample.success, at: Sample.moment, facts: facts)
            try transaction.finish(last, outcome: Sample.success, at: Sample.moment, facts: TransferFacts())
        }
        let (cleanups, names, none, old) = try await journal.read { reader throws(ServiceError) in
            (
                try reader.unfinishedCleanups(), try reader.unfinishedNames(),
                try reader.spooledTransfers(endedBefore: Sample.moment),
                try reader.spooledTransfers(endedBefore: Sample.moment + 1)
            )
        }
        #expect(cleanups.map(\.id) == [2, 3, 5].map(Sample.id) && names.map(\.id) == [Sample.id(5)])
        #expect(none == [] && old == [last])
        await journal.close()
    }

    @Test(arguments: JournalKind.allCases)
    func `that have put files at a path are found, the latest of them`(kind: JournalKind) async throws {
        let journal = try kind.open()
        try await Sample.insert(try (1...3).map { try Sample.record($0) }, into: journal)
        try await journal.commit { transaction throws(ServiceError) in
            for number: UInt64 in 1...2 {
                try transaction.finish(
                    Sample.id(number), outcome: Sample.success, at: Sample.moment, facts: TransferFacts())
            }
        }
        let path = "/home/u/Downloads/n"
        #expect(
            try await journal.read { reader throws(ServiceError) in try reader.lastPlaced(at: path) }?.id
                == Sample.id(2))
        try await journal.commit { transaction throws(ServiceError) in try transaction.delete(Sample.id(2)) }
        let (last, none) = try await journal.read { reader throws(ServiceError) in
            (try reader.lastPlaced(at: path), try reader.lastPlaced(at: "/none"))
        }
        #expect(last?.id == Sample.id(1) && none == nil)
        await journal.close()
    }
}
