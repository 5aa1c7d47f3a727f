import FerryCore
import FerryQueue
import FerryRules
import JournalKit
@testable import FerryStore
import Testing

@Suite(.timeLimit(.minutes(1))) struct `A stored list` {
    private static func table(_ urls: [String]) throws -> URLTable {
        var reader = HTTPURLReader()
        var table = URLTable()
        for url in urls { table.append(try reader.read(Array(url.utf8)[...])) }
        table.finish()
        return table
    }

    private static func store(
        _ urls: [String], like template: TransferRecord, in journal: any Journal, keptEvents: Int = .max
    ) async throws -> EventRun {
        let (table, batch) = (try table(urls), try journal.prepare(template))
        return try await journal.commit { transaction throws(ServiceError) in
            try transaction.insert(
                table, like: batch, first: template.id, session: template.request.session, at: Sample.moment,
                keptEvents: keptEvents)
        }
    }

    @Test func `has the rows that its transfers would have one by one`() async throws {
        let journal = try SQLiteJournal.inMemory(logger: Sample.quiet)
        let hosts = ["a", "b", "user:secret@b", "a", "[::1]:81"]
        let urls = (0..<300).map { "http://\(hosts[$0 % 5])/x?\($0)" }
        var template = try Sample.record(10, tags: ["t", "u"])
        template.request.transport.network.allowsCellular = false
        template.active.begin(at: .init(wall: Sample.moment, boot: "b", uptime: 1))
        let run = try await Self.store(urls, like: template, in: journal)
        #expect(run.ids == (10..<310).map(Sample.id) && run.first == 1)
        let alone = try SQLiteJournal.inMemory(logger: Sample.quiet)
        for (index, text) in urls.enumerated() {
            let url = try HTTPURL(parsing: text)
            var record = TransferRecord(
                id: run.ids[index], createdAt: template.createdAt, request: template.request,
                credentials: url.credentials)
            record.request.url = url.withoutUserinfo.string
            record.active = template.active
            try await Sample.insert([record], into: alone)
            #expect(try await journal.record(record.id) == record)
        }
        let columns = "id, session, phase, intent, priority, origin, attempts, has_partial, line, due"
        var rows: [[String]] = []
        for journal in [journal, alone] {
            rows.append(
                try await journal.read { reader throws(ServiceError) in
                    var rows: [String] = []
                    try reader.connection.forEachRow(
                        "SELECT json_array(\(columns), (SELECT count(*) FROM transfer_tags AS t WHERE t.id = s.id)) "
                            + "FROM transfers AS s ORDER BY id"
                    ) { row in rows.append(row.text(0) ?? "") }
                    return rows
                })
        }
        #expect(rows[0].count == 300 && rows[0] == rows[1])
        await journal.close()
        await alone.close()
    }
}
