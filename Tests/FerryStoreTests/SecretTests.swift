// Ferry: FerryStoreTests
// What the journal forgets.

import FerryCore
@testable import FerryStore
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Secrets in the journal` {
    private static let mark = "hunter2"

    /// A record with secrets in every place, some of them longer than a page.
    private func record(_ number: UInt64, length: Int) throws -> TransferRecord {
        let plain = try Sample.record(number)
        var request = plain.request
        request.headers = [
            HeaderField(name: "Accept", value: "text/plain"),
            HeaderField(name: "Authorization", value: "Bearer \(Self.mark)" + String(repeating: "x", count: length)),
            HeaderField(name: "X-Api-Key", value: Self.mark),
        ]
        request.cookies = [
            GivenCookie(name: "c", value: Self.mark, domain: "example.com", path: "/", secure: true)
        ]
        request.proxyEnvironment = ["https_proxy": "http://me:\(Self.mark)@proxy:3128/", "no_proxy": "a@b"]
        return TransferRecord(
            id: plain.id, createdAt: plain.createdAt, request: request,
            credentials: Credentials(user: "me", password: Self.mark))
    }

    private func mentions(_ folder: TemporaryFolder) throws -> [String] {
        try folder.files().filter { try folder.bytes($0).firstRange(of: Data(Self.mark.utf8)) != nil }
    }

    private func end(_ record: TransferRecord, _ outcome: Outcome) -> TransferRecord {
        var ended = record
        ended.outcome = outcome
        ended.finishedAt = Sample.moment
        if outcome.forgetsSecrets { ended.forgetSecrets() }
        return ended
    }

    @Test(arguments: [10, 20_000])
    func `are in none of its files once their transfers have ended well, were canceled or are removed`(
        length: Int
    ) async throws {
        let folder = try TemporaryFolder()
        let journal = try await Sample.open(folder)
        let records = try (1...60).map { try record($0, length: length) }
        try await Sample.insert(records, into: journal)
        #expect(try !mentions(folder).isEmpty)
        for (index, record) in records.enumerated() {
            let outcome: Outcome =
                switch index % 3 {
                case 0: Sample.success
                case 1: .canceled
                default: .failed(TransferError(.notFound, "No."))
                }
            let ended = end(record, outcome)
            try await journal.commit { transaction throws(TransferError) in
                if index % 3 == 0 {
                    let end = try StoredEnd(ended, snapshot: Transfer(ended, live: .waiting(.slot)))
                    _ = try transaction.finish(end, kind: .succeeded, at: Sample.moment)
                } else {
                    try transaction.update(ended)
                }
            }
            #expect(try await journal.record(record.id) == ended)
        }
        let failed = records.indices.filter { $0 % 3 == 2 }.map { records[$0].id }
        #expect(try await journal.record(failed[0])?.credentials == Credentials(user: "me", password: Self.mark))
        try await journal.commit { transaction throws(TransferError) in
            _ = try transaction.forget(Array(failed.dropFirst()), of: .cli, at: Sample.moment)
            try transaction.delete(failed[0])
        }
        while await journal.reclaim() {}
        #expect(try mentions(folder) == [])
        await journal.close()
        #expect(try mentions(folder) == [])
    }

    @Test func `are forgotten in a journal of an earlier version`() async throws {
        let folder = try TemporaryFolder()
        let journal = try await Sample.open(folder)
        var records = try (1...3).map { try record($0, length: 10) }
        records[0].outcome = Sample.success
        records[1].outcome = .canceled
        records[2].outcome = .failed(TransferError(.notFound, "No."))
        var plain = try Sample.record(4)
        plain.outcome = .canceled
        plain.request.headers = [HeaderField(name: "Accept", value: "*/*")]
        try await Sample.insert(records + [plain], into: journal)
        try await journal.commit { transaction throws(TransferError) in
            try transaction.connection.execute("DELETE FROM grdb_migrations WHERE identifier = '7'")
        }
        await journal.close()
        let again = try await Sample.open(folder)
        for record in records.prefix(2) {
            let found = try #require(try await again.record(record.id))
            #expect(found.credentials == nil && found.request.cookies == [] && found.request.secretsForgotten)
            #expect(found.request.headers == [HeaderField(name: "Accept", value: "text/plain")])
            #expect(found.request.proxyEnvironment == nil)
        }
        #expect(try await again.record(records[2].id) == records[2])
        #expect(try await again.record(plain.id) == plain)
        let ids = (records + [plain]).map(\.id)
        let moment = ActiveTime.Instant(wall: Sample.moment, boot: nil, uptime: 1)
        let begun = try await again.commit { transaction throws(TransferError) in
            try transaction.begin(ids, of: .cli, delayed: [], anew: [], at: moment)
        }
        #expect(begun.lacking == [records[1].id] && begun.events.ids == [records[2].id, plain.id])
        try await again.commit { transaction throws(TransferError) in try transaction.delete(ids[2]) }
        while await again.reclaim() {}
        #expect(try mentions(folder) == [])
        await again.close()
    }

    @Test func `of transfers that failed long ago are found`() async throws {
        let journal = try Journal.inMemory(logger: Sample.quiet)
        let failure = Outcome.failed(TransferError(.notFound, "No."))
        let records = [end(try record(1, length: 1), failure), end(try Sample.record(2), failure)]
        try await Sample.insert(records, into: journal)
        for (moment, count) in [(Sample.moment, 0), (Sample.moment + 1, 1)] {
            let found = try await journal.read { reader throws(TransferError) in
                try reader.failedWithSecrets(before: moment, after: TransferID(rawValue: 0))
            }
            #expect(found.count == count)
        }
    }
}
