import FerryCore
import FerryQueue
import FerryRules
import Foundation
import JournalKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Many transfers at once in both journals` {
    private let session: SessionID
    private let now = ActiveTime.Instant(
        wall: Date(timeIntervalSince1970: 1_700_000_100), boot: "boot", uptime: 1000)

    init() throws { session = try SessionID("app") }

    private func record(
        _ number: UInt64, _ change: (inout TransferRecord) -> Void = { _ in }
    ) throws -> TransferRecord {
        var record = try Sample.record(number, session: session.name)
        record.active.begin(at: ActiveTime.Instant(wall: Sample.moment, boot: "boot", uptime: 990.5))
        change(&record)
        return record
    }

    @Test(arguments: JournalKind.allCases)
    func `those that are named twice change once`(kind: JournalKind) async throws {
        let journal = try kind.open()
        try await Sample.insert([try record(1), try record(2)], into: journal)
        let (ids, session, now) = ([2, 1, 2].map(Sample.id), session, now)
        let run = try await journal.commit { transaction throws(ServiceError) in
            try transaction.suspend(ids, of: session, at: now)
        }
        #expect(run.ids == [Sample.id(1), Sample.id(2)])
        #expect(try await journal.counts() == [.suspended: 2])
        await journal.close()
    }

    /// Returns records with more than one value for each listed field.
    private func shownRecords() throws -> [TransferRecord] {
        let origin = try HTTPURL(parsing: "https://example.com/").origin
        var ended = try Sample.fullRecord(3)
        let digest = try Checksum(parsing: "md5:00112233445566778899aabbccddeeff")
        ended.outcome = .succeeded(
            Outcome.Success(
                path: "/home/u/Downloads/n", size: 5, verified: [digest], mismatched: [digest], lengthVerified: false,
                unchanged: true))
        ended.finishedAt = Sample.moment
        ended.facts.notes = ["note"]
        ended.facts.startedAt = Sample.moment
        ended.facts.sending.sent = 4
        ended.facts.startedOver = 1
        ended.facts.bytesSpent = 9
        ended.facts.ranges.insert(0..<5)
        ended.facts.finalURL = "https://b.example/"
        ended.facts.response = ResponseFacts(
            url: "https://b.example/", status: 200, version: "HTTP/1.1", fields: [HeaderField(name: "A", value: "b")])
        ended.facts.exchanges = [ExchangeFacts(url: "https://b.example/", method: "GET")]
        ended.facts.identity = ResourceIdentity(
            origin: origin, etag: "\"v\"", lastModified: "Mon, 01 Jan 2024 00:00:00 GMT", completeLength: 5,
            contentType: "text/plain")
        var failed = try Sample.record(4)
        failed.outcome = .failed(ServiceError(.offline, "No network."))
        failed.request.file.folder = "/home/u/Other"
        failed.request.file.name = "given"
        failed.request.body = .bytes(Data([1, 2]))
        failed.request.method = "PUT"
        failed.request.timing.notBefore = Sample.moment
        failed.request.tls.insecure = true
        failed.request.transport.network.allowsCellular = false
        failed.request.note = ClientNote(application: "a", identifier: "i", task: 3, kind: .data, data: "d")
        failed.facts.lengthVerified = false
        failed.facts.cancelReason = 0
        var canceled = try Sample.record(5)
        canceled.intent = .cancel
        canceled.outcome = .canceled
        canceled.facts.cancelReason = 0
        var asking = TransferRecord(
            id: Sample.id(6), createdAt: Sample.moment + 1, request: try Sample.record(6).request, credentials: nil)
        asking.request.timing.priority = .high
        asking.request.transport.rateLimit = 2048
        asking.request.response.expectedSize = 7
        asking.facts.challenge = .authentication(
            AuthenticationChallenge(
                scheme: .basic, realm: "r", host: "example.com", port: 443, isSecure: true, isProxy: false))
        canceled.request.body = .file(RequestBody.SentFile(path: "/up", size: 9, modified: 1))
        return [try Sample.record(1), try Sample.fullRecord(2), ended, failed, canceled, asking]
    }

    /// Returns the JSON of waiting transfers that clients read.
    private func shown(_ records: [TransferRecord]) throws -> [[String: Any]] {
        try records.map { record in
            let data = try JSONEncoder().encode(Transfer(record, live: .waiting(.slot)))
            return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        }
    }

    /// A field with a single value could be missing from the list unnoticed.
    @Test func `the records that lists are tried on differ in each shown field`() throws {
        let records = try shown(shownRecords())
        // These are known only while a transfer runs.
        let live: [Transfer.CodingKeys] = [.bytesPerSecond, .segments]
        for field in Transfer.CodingKeys.allCases where !live.contains(field) {
            let values = Set(records.map { "\($0[field.rawValue] ?? "none")" })
            #expect(values.count > 1, "\(field.rawValue)")
        }
    }

    @Test(arguments: JournalKind.allCases)
    func `a list shows what the whole record shows`(kind: JournalKind) async throws {
        let journal = try kind.open()
        let records = try shownRecords()
        try await Sample.insert(records, into: journal)
        let listed = try await journal.read { reader throws(ServiceError) in try reader.listing(JournalFilter()) }
        #expect(
            listed.map { Transfer($0.record, live: .waiting(.slot)) }
                == records.map { Transfer($0, live: .waiting(.slot)) })
        #expect(listed.map(\.record.isEligible) == records.map(\.isEligible))
        #expect(listed.map(\.record.request.transport.network) == records.map(\.request.transport.network))
        #expect(Set(listed.map(\.origin)) == ["https://example.com:443"])
        var newest = JournalFilter()
        newest.newestFirst = true
        newest.limit = 2
        let last = try await journal.read { [newest] reader throws(ServiceError) in try reader.listing(newest) }
        #expect(last.map(\.record.id) == records.map(\.id).suffix(2).reversed())
    }

    @Test(arguments: JournalKind.allCases)
    func `a pause stores what pausing one stores`(kind: JournalKind) async throws {
        let journal = try kind.open()
        let waiting = try record(1) { record in
            record.retry = RetryPlan(
                at: Sample.moment, delay: 4, reason: .retry, error: ServiceError(.connectionLost, "Reset."))
        }
        let rebooted = try record(2) { record in
            record.active = ActiveTime()
            record.active.begin(at: ActiveTime.Instant(wall: Sample.moment, boot: "other", uptime: 1))
        }
        let ended = try record(3) { $0.outcome = .failed(ServiceError(.offline, "No network.")) }
        let other = try Sample.record(4)
        let all = [waiting, rebooted, ended, other]
        try await Sample.insert(all, into: journal)
        let (session, now) = (session, now)
        let run = try await journal.commit { transaction throws(ServiceError) in
            try transaction.suspend(all.map(\.id), of: session, at: now)
        }
        #expect(run.ids == [waiting.id, rebooted.id] && run.kind == .suspended && run.last == run.first + 1)
        let found = try await journal.read { reader throws(ServiceError) in try reader.records(all.map(\.id)) }
        for (before, after) in zip([waiting, rebooted], found) {
            var machine = TransferMachine(before)
            _ = machine.perform(.pause, at: CommandSituation(now: now))
            // Suspended time does not count.
            #expect(after.active.seconds(at: now) == after.active.seconds(at: .init(wall: .now, boot: nil, uptime: 0)))
            #expect(after == machine.record)
        }
        #expect(found[2] == ended && found[3] == other)
        let events = try await journal.read { reader throws(ServiceError) in
            try reader.events(after: 0, session: session, limit: 10)
        }
        #expect(events.map(\.number) == [run.first, run.last] && events.map(\.id) == run.ids)
    }

    @Test(arguments: JournalKind.allCases)
    func `a start stores what starting one stores`(kind: JournalKind) async throws {
        let journal = try kind.open()
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
            record.outcome = .failed(ServiceError(.offline, "No network."))
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
        let run = try await journal.commit { transaction throws(ServiceError) in
            try transaction.begin(all.map(\.id), of: session, delayed: [], at: moment)
        }
        #expect(run.events.ids == all.map(\.id) && run.events.kind == .resumed && run.lacking == [])
        let found = try await journal.read { reader throws(ServiceError) in try reader.records(all.map(\.id)) }
        for (before, after) in zip(all, found) {
            var machine = TransferMachine(before)
            _ = machine.perform(.start, at: CommandSituation(now: now))
            var expected = machine.record
            if before.id == robbed.id { expected.facts.destination = nil }
            #expect(after == expected)
        }
        let pending = try await journal.read { reader throws(ServiceError) in try reader.pending(all.map(\.id)) }
        #expect(pending.map(\.id) == all.map(\.id))
        #expect(pending.map(\.due) == found.map(\.due))
    }

    @Test(arguments: JournalKind.allCases)
    func `a succeeded transfer is fetched again only if it is unchanged`(kind: JournalKind) async throws {
        let journal = try kind.open()
        var records = try (1...3).map { try Sample.record($0) }
        for index in records.indices {
            records[index].outcome = Sample.success
            records[index].facts.ranges.insert(0..<5)
        }
        records[2].request.secretsForgotten = true
        try await Sample.insert(records, into: journal)
        let (ids, session) = (records.map(\.id), records[0].request.session)
        let found = try await journal.read { reader throws(ServiceError) in try reader.records(ids) }
        var gone: [TransferID: Outcome] = [:]
        for record in found { gone[record.id] = record.outcome }
        gone[ids[1]] = .succeeded(Outcome.Success(path: "/d/earlier", size: 5, verified: []))
        try await journal.commit { transaction throws(ServiceError) in
            var changed = found[0]
            changed.request.transport.rateLimit = 4096
            try transaction.update(changed)
        }
        let begun = try await journal.commit { [gone] transaction throws(ServiceError) in
            try transaction.begin(ids, of: session, delayed: [], gone: gone, at: CommandStates.now)
        }
        #expect(begun.events.ids == [ids[0]] && begun.lacking == [ids[2]])
        let after = try #require(try await journal.record(ids[0]))
        #expect(after.isEligible && after.facts.ranges.isEmpty && after.active.seconds(at: CommandStates.now) == 0)
        await journal.close()
    }

    @Test(arguments: JournalKind.allCases)
    func `a transfer that is being removed is known until its files are gone`(kind: JournalKind) async throws {
        let journal = try kind.open()
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
        let (removed, begun) = try await journal.commit { transaction throws(ServiceError) in
            try transaction.remove(
                all.map(\.id), of: session, intent: .removeWithFile, sparesSucceeded: false, live: [live.id],
                at: Sample.moment)
        }
        #expect(removed.ids == [plain.id])
        #expect(begun == [partial.id, live.id, succeeded.id])
        #expect(try await journal.counts() == [.canceling: 3])
        let remains = try await journal.read { reader throws(ServiceError) in try reader.remains(of: nil) }
        #expect(remains.map(\.id) == begun && remains.allSatisfy { $0.session == session })
        #expect(remains.map(\.partial) == [Sample.partial, nil, nil])
        #expect(remains.map(\.placed) == [nil, nil, succeeded.facts.placement])
        #expect(remains.map(\.request?.file.folder) == Array(repeating: "/home/u/Downloads", count: 3))
        let end = try await journal.commit { transaction throws(ServiceError) in
            try transaction.forget(begun, of: session, at: Sample.moment)
        }
        #expect(end.ids == begun && end.first == removed.last + 1)
        #expect(try await journal.counts() == [:])
    }
}
