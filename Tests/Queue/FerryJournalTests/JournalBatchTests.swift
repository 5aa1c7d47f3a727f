import FerryCore
import FerryQueue
import FerryRules
import Foundation
import JournalKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Batches and lists in both journals` {
    /// A journal may prepare a template, or store it as it is.
    @Test(arguments: JournalKind.allCases, [true, false])
    func `have rows as each transfer would have alone`(kind: JournalKind, isPrepared: Bool) async throws {
        let journal = try kind.open()
        var template = try Sample.record(1, tags: ["a", "b"])
        template.request.headers = [HeaderField(name: "X", value: "y")]
        template.request.note = ClientNote(application: "a", identifier: "i", task: 3, kind: .download, data: "")
        template.request.timing.resourceTimeout = 60
        template.active.begin(at: ActiveTime.Instant(wall: Sample.moment, boot: "boot", uptime: 990.5))
        var alone = TransferRecord(
            id: Sample.id(2), createdAt: template.createdAt, request: template.request,
            credentials: Credentials(user: "u", password: "ü\"\\"))
        alone.active = template.active
        alone.facts.destination = "/f/ü \"quoted\" \\ \u{1}"
        alone.request.url = "http://b.example:81/ü?\"'"
        alone.request.file.folder = "/f"
        alone.request.file.name = "ü \"quoted\" \\ \u{1}"
        alone.request.note?.data = #"{"id":"ü"}"#
        let row = BatchRow(
            id: alone.id, url: alone.request.url, origin: "http://b.example:81", credentials: alone.credentials,
            folder: "/f", name: alone.request.file.name, data: alone.request.note?.data)
        let like = isPrepared ? try journal.prepare(template) : BatchTemplate(template)
        let path = alone.facts.destination
        let stored = try await journal.commit { transaction throws(ServiceError) in
            let other = BatchRow(
                id: Sample.id(3), url: "u", origin: "o", credentials: nil, folder: "/f", name: nil, data: nil)
            return [
                try transaction.insert(row, like: like, destination: path),
                try transaction.insert(other, like: like, destination: path),
            ]
        }
        #expect(stored == [true, false])
        #expect(try await journal.page() == [alone])
        var filter = JournalFilter()
        filter.tag = "b"
        #expect(try await journal.page(filter) == [alone])
        let (held, due) = try await journal.read { reader throws(ServiceError) in
            (try reader.held([path ?? "", "/f/other"]), try reader.due(through: .distantFuture, limit: 9))
        }
        #expect(held == [path ?? ""] && due.map(\.due) == [Sample.moment + 60])
        await journal.close()
    }

    private func table(_ urls: [String]) throws -> URLTable {
        var reader = HTTPURLReader()
        var table = URLTable()
        for url in urls { table.append(try reader.read(Array(url.utf8)[...])) }
        table.finish()
        return table
    }

    @Test(arguments: JournalKind.allCases)
    func `of URLs have a transfer for each, in their order`(kind: JournalKind) async throws {
        let journal = try kind.open()
        let hosts = ["a", "b", "user:secret@b", "a", "[::1]:81"]
        let urls = (0..<300).map { "http://\(hosts[$0 % 5])/x?\($0),%22" }
        var template = try Sample.record(10, tags: ["t", "u"])
        template.request.transport.network.allowsCellular = false
        template.active.begin(at: .init(wall: Sample.moment, boot: "b", uptime: 1))
        let (list, like) = (try table(urls), try journal.prepare(template))
        let first = template.id
        let run = try await journal.commit { transaction throws(ServiceError) in
            try transaction.insert(list, like: like, first: first, session: .cli, at: Sample.moment)
        }
        #expect(run.ids == (10..<310).map(Sample.id) && run.first == 1 && run.kind == .submitted)
        for (index, text) in urls.enumerated() {
            let url = try HTTPURL(parsing: text)
            var record = TransferRecord(
                id: run.ids[index], createdAt: template.createdAt, request: template.request,
                credentials: url.credentials)
            record.request.url = url.withoutUserinfo.string
            record.active = template.active
            #expect(try await journal.record(record.id) == record)
        }
        var filter = JournalFilter()
        filter.tag = "u"
        filter.limit = 1000
        #expect(try await journal.page(filter).count == 300)
        let lines = try await journal.read { reader throws(ServiceError) in
            try reader.lines().lines.map { "\($0.origin) \($0.network.allowsCellular)" }.sorted()
        }
        #expect(lines == ["http://[::1]:81 false", "http://a:80 false", "http://b:80 false"])
        await journal.close()
    }

    @Test(arguments: JournalKind.allCases)
    func `of URLs have an event for each, of which the newest may be enough`(kind: JournalKind) async throws {
        let journal = try kind.open()
        let list = try table((0..<20).map { "http://a/\($0)" })
        let (one, other) = (try Sample.record(1), try Sample.record(50))
        let (few, many) = (try journal.prepare(other), try journal.prepare(one))
        let run = try await journal.commit { transaction throws(ServiceError) in
            _ = try transaction.insert(list, like: many, first: one.id, session: .cli, at: Sample.moment)
            return try transaction.insert(
                list, like: few, first: other.id, session: .cli, at: Sample.moment, keptEvents: 3)
        }
        #expect(run.first == 21 && run.last == 40 && run.ids.count == 20)
        let stored = try await journal.read { reader throws(ServiceError) in
            try reader.eventHeads(after: 20, session: .cli, limit: 100)
        }
        #expect(stored.map(\.number) == [38, 39, 40] && stored.map(\.id) == [67, 68, 69].map(Sample.id))
        #expect(try await journal.read { reader throws(ServiceError) in try reader.lastEventNumber } == 40)
        await journal.close()
    }
}
