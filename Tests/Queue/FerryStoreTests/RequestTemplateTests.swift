import FerryCore
import FerryQueue
import FerryRules
import JournalKit
import Testing

@testable import FerryStore

@Suite(.timeLimit(.minutes(1))) struct `Requests of a list in the journal` {
    private let ids = (1...3).map { Sample.id($0) }

    /// Inserts three transfers of one list.
    private func insertList(
        into journal: any Journal, _ change: (inout TransferRecord) -> Void = { _ in }
    ) async throws -> [TransferRecord] {
        var template = try Sample.record(1)
        change(&template)
        var reader = HTTPURLReader()
        var urls = URLTable()
        let texts = ids.map { #"http://a.example/"\ü?\#($0)"# }
        for text in texts { urls.append(try reader.read(Array(text.utf8)[...])) }
        urls.finish()
        let (list, like) = (urls, try journal.prepare(template))
        try await journal.commit { transaction throws(ServiceError) in
            _ = try transaction.insert(
                list, like: like, first: Sample.id(1), session: .cli, at: Sample.moment, keptEvents: 10)
        }
        return try zip(ids, texts).map { id, text in
            var record = TransferRecord(
                id: id, createdAt: template.createdAt, request: template.request, credentials: nil)
            record.request.url = try HTTPURL(parsing: text).string
            return record
        }
    }

    private func templates(_ journal: any Journal) async throws -> Int64? {
        try await journal.read { reader throws(ServiceError) in
            try reader.connection.row("SELECT count(*) FROM request_templates").flatMap { RowReader($0).integer(0) }
        }
    }

    private func run(_ statement: String, _ journal: any Journal) async throws {
        try await journal.commit { transaction throws(ServiceError) in
            _ = try transaction.connection.execute(statement)
        }
    }

    @Test func `store shared values once, and are read as they were given`() async throws {
        let folder = try TemporaryFolder()
        let journal = try await Sample.open(folder)
        let list = try await insertList(into: journal)
        #expect(try await journal.page() == list)
        #expect(try await journal.record(ids[1]) == list[1])
        let shown = try await journal.read { reader throws(ServiceError) in try reader.listing(JournalFilter()) }
        #expect(shown.map(\.record.request.url) == list.map(\.request.url))
        #expect(shown.map(\.record.request.file.folder) == list.map(\.request.file.folder))
        let long = try await journal.read { reader throws(ServiceError) in
            try reader.connection.row("SELECT max(length(request)) FROM requests").flatMap { RowReader($0).integer(0) }
        }
        #expect(long == Int64(list[0].request.url.utf8.count + 2))
        await journal.close()
    }

    @Test func `are whole again once one is changed, and the others stay`() async throws {
        let folder = try TemporaryFolder()
        let journal = try await Sample.open(folder)
        var list = try await insertList(into: journal)
        list[1] = try #require(try await journal.record(ids[1]))
        list[1].request.file.folder = "/elsewhere"
        let changed = list[1]
        try await journal.commit { transaction throws(ServiceError) in _ = try transaction.update(changed) }
        #expect(try await journal.page().map(\.request) == list.map(\.request))
        await journal.close()
    }

    @Test func `leave no shared values once the last of them is removed`() async throws {
        let folder = try TemporaryFolder()
        let journal = try await Sample.open(folder)
        _ = try await insertList(into: journal)
        for (count, id) in zip([1, 1, 0] as [Int64], ids) {
            try await journal.commit { transaction throws(ServiceError) in _ = try transaction.delete(id) }
            _ = await journal.reclaim()
            #expect(try await templates(journal) == count)
        }
        await journal.close()
    }

    @Test func `share no secret, which goes with its own transfer`() async throws {
        let folder = try TemporaryFolder()
        let journal = try await Sample.open(folder)
        let list = try await insertList(into: journal) {
            $0.request.headers = [HeaderField(name: "Authorization", value: "Bearer t")]
        }
        #expect(try await templates(journal) == 0)
        #expect(try await journal.page() == list)
        await journal.close()
    }

    @Test(arguments: [
        "DELETE FROM request_templates", "UPDATE request_templates SET head = '['", "UPDATE requests SET template = 99",
    ])
    func `that cannot be put together are failures, and lists show them`(damage: String) async throws {
        let folder = try TemporaryFolder()
        let journal = try await Sample.open(folder)
        _ = try await insertList(into: journal)
        try await Sample.insert([try Sample.record(9)], into: journal)
        try await run(damage, journal)
        let records = try await journal.page()
        #expect(records.map(\.id) == ids + [Sample.id(9)])
        for record in records.dropLast() {
            guard case .failed(let error) = record.outcome else {
                Issue.record("It cannot be read.")
                continue
            }
            #expect(error.code == .journalFailed)
        }
        let shown = try await journal.read { reader throws(ServiceError) in try reader.listing(JournalFilter()) }
        #expect(shown.map(\.record.id) == records.map(\.id))
        await journal.close()
    }
}
