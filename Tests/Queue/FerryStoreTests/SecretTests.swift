import FerryCore
@testable import FerryStore
import FerryQueue
import FerryRules
import Foundation
import JournalKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Secrets in the journal` {
    private static let mark = "hunter2"

    /// Returns a record with secrets in every field, some of them longer than a page.
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
        request.transport.proxyEnvironment = ["https_proxy": "http://me:\(Self.mark)@proxy:3128/", "no_proxy": "a@b"]
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
                default: .failed(ServiceError(.notFound, "No."))
                }
            let ended = end(try #require(try await journal.record(record.id)), outcome)
            try await journal.commit { transaction throws(ServiceError) in
                if index % 3 == 0 {
                    _ = try transaction.finish(StoredEnd(TransferEnd(ended, outcome, at: Sample.moment)))
                } else {
                    try transaction.update(ended)
                }
            }
            #expect(try await journal.record(record.id) == ended)
        }
        let failed = records.indices.filter { $0 % 3 == 2 }.map { records[$0].id }
        #expect(try await journal.record(failed[0])?.credentials == Credentials(user: "me", password: Self.mark))
        try await journal.commit { transaction throws(ServiceError) in
            _ = try transaction.forget(Array(failed.dropFirst()), of: .cli, at: Sample.moment)
            try transaction.delete(failed[0])
        }
        while await journal.reclaim() {}
        #expect(try mentions(folder) == [])
        await journal.close()
        #expect(try mentions(folder) == [])
    }

    @Test func `are forgotten in rows of which it is unknown whether they have any`() async throws {
        let folder = try TemporaryFolder()
        let journal = try await Sample.open(folder)
        var records = try (1...3).map { try record($0, length: 10) }
        records[0].outcome = Sample.success
        records[1].outcome = .canceled
        records[2].outcome = .failed(ServiceError(.notFound, "No."))
        var plain = try Sample.record(4)
        plain.outcome = .canceled
        plain.request.headers = [HeaderField(name: "Accept", value: "*/*")]
        try await Sample.insert(records + [plain], into: journal)
        try await journal.commit { transaction throws(ServiceError) in
            try transaction.connection.execute("UPDATE transfers SET secrets = NULL")
        }
        await journal.close()
        let again = try await Sample.open(folder)
        // The opening itself reads no request.
        let ids = (records + [plain]).map(\.id)
        #expect(try await again.page() == records + [plain])
        #expect(try await mayHaveSecrets(again) == ids)
        for phase in [JournalPhase.succeeded, .canceled] { try await forget(again, phase) }
        #expect(try await again.page() == records.prefix(2).map(forgotten) + [records[2], plain])
        #expect(try await mayHaveSecrets(again) == [records[2].id])
        let moment = ActiveTime.Instant(wall: Sample.moment, boot: nil, uptime: 1)
        let begun = try await again.commit { transaction throws(ServiceError) in
            try transaction.begin(ids, of: .cli, delayed: [], at: moment)
        }
        #expect(begun.lacking == [records[1].id] && begun.events.ids == [records[2].id, plain.id])
        try await again.commit { transaction throws(ServiceError) in try transaction.delete(ids[2]) }
        while await again.reclaim() {}
        #expect(try mentions(folder) == [])
        await again.close()
    }

    @Test func `of transfers that failed long ago are forgotten, and no row is looked at again for it`() async throws {
        let journal = try SQLiteJournal.inMemory(logger: Sample.quiet)
        let failure = Outcome.failed(ServiceError(.notFound, "No."))
        let secret = try (1...250).map { end(try record($0, length: 1), failure) }
        var plain = end(try Sample.record(300), failure)
        plain.request.headers = [HeaderField(name: "Accept", value: "*/*")]
        try await Sample.insert(secret + [plain], into: journal)
        #expect(try await mayHaveSecrets(journal) == secret.map(\.id))
        try await forget(journal, .failed, before: Sample.moment)
        #expect(try await mayHaveSecrets(journal) == secret.map(\.id))
        try await forget(journal, .failed, before: Sample.moment + 1)
        #expect(try await mayHaveSecrets(journal) == [])
        #expect(try await journal.record(secret[249].id) == forgotten(secret[249]))
        #expect(try await journal.record(plain.id) == plain)
    }

    @Test func `beside something that cannot be read are forgotten, and the rest stays as it is`() async throws {
        let journal = try SQLiteJournal.inMemory(logger: Sample.quiet)
        let records = try (1...3).map { end(try record($0, length: 1), .failed(ServiceError(.notFound, "No."))) }
        try await Sample.insert(records, into: journal)
        try await journal.commit { transaction throws(ServiceError) in
            for step in [
                "UPDATE requests SET request = '{' WHERE id = \(records[0].id.column)",
                "UPDATE requests SET credentials = '{' WHERE id = \(records[1].id.column)",
                "UPDATE transfers SET facts = '{' WHERE id = \(records[1].id.column)",
            ] { try transaction.connection.execute(step) }
        }
        try await forget(journal, .failed, before: Sample.moment + 1)
        #expect(try await mayHaveSecrets(journal) == [records[0].id])
        let (left, texts) = try await journal.read { reader throws(ServiceError) in
            let sql = "SELECT request, credentials, facts FROM transfers JOIN requests USING (id) ORDER BY id"
            var rows: [[String?]] = []
            try reader.connection.forEachRow(sql) { row in rows.append((0..<3).map { row.text($0) }) }
            return (rows.map { $0[1] }, [rows[0][0], rows[1][2]])
        }
        #expect(left == [nil, nil, nil] && texts == ["{", "{"])
        #expect(try await journal.record(records[1].id)?.request == forgotten(records[1]).request)
        #expect(try await journal.record(records[2].id) == forgotten(records[2]))
    }

    private func forgotten(_ record: TransferRecord) -> TransferRecord {
        var record = record
        record.forgetSecrets()
        return record
    }

    /// Deletes the secrets of all transfers in one phase, in as many steps as necessary.
    private func forget(_ journal: any Journal, _ phase: JournalPhase, before moment: Date? = nil) async throws {
        var last: TransferID? = TransferID(rawValue: 0)
        while let after = last {
            last = try await journal.commit { transaction throws(ServiceError) in
                try transaction.forgetSecrets(in: phase, endedBefore: moment, after: after)
            }
        }
    }

    /// Returns the transfers that are checked when secrets are deleted.
    private func mayHaveSecrets(_ journal: any Journal) async throws -> [TransferID] {
        try await journal.read { reader throws(ServiceError) in
            var ids: [TransferID] = []
            let sql = "SELECT id FROM transfers WHERE secrets IS NOT 0 ORDER BY id"
            try reader.connection.forEachRow(sql) { row in ids.append(TransferID(column: row.integer(0) ?? 0)) }
            return ids
        }
    }
}
