import FerryCore
@testable import FerryStore
import FerryQueue
import FerryRules
import Foundation
import JournalKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct `The journal` {
    @Test func `finds everything again after it was closed`() async throws {
        let folder = try TemporaryFolder()
        let records = try [Sample.record(1), Sample.fullRecord(2), Sample.record(3, session: "other")]
        var settings = ServiceSettings()
        settings.activeTransfers = 3
        let journal = try await Sample.open(folder)
        try await Sample.insert(records, into: journal)
        try await journal.commit { [settings] transaction throws(ServiceError) in
            try transaction.saveSettings(settings)
            try transaction.saveSession(try SessionID("app"), SessionSettings(activeTransfers: 2, rateLimit: 4096))
        }
        await journal.close()
        #expect(try folder.files() == ["journal.sqlite"])

        let again = try await Sample.open(folder)
        let found = try await again.read { reader throws(ServiceError) in try reader.records(records.map(\.id)) }
        #expect(found == records)
        #expect(try await again.read { reader throws(ServiceError) in try reader.settings() } == settings)
        let sessions = try await again.read { reader throws(ServiceError) in try reader.sessions() }
        #expect(sessions.map(\.id.name) == ["app", "cli", "other"])
        #expect(sessions.map(\.settings.rateLimit) == [4096, 0, 0])
        #expect(sessions.map(\.counts) == [[.pending: 1], [.pending: 1], [.pending: 1]])
        #expect(try await again.lastTransferID() == Sample.id(3))
        await again.close()
    }

    @Test func `5 the highest number of a task outlives its transfer, its settings and its cookies' changes`()
        async throws
    {
        let folder = try TemporaryFolder()
        let journal = try await Sample.open(folder)
        let session = try SessionID("app/s")
        var cookies = TransferCookies()
        cookies.store(setCookie: "k=v", from: try HTTPURL(parsing: "http://a.example/"), now: Date())
        try await journal.commit { [cookies] transaction throws(ServiceError) in
            for task in [3, 9, 4] { try transaction.noteTask(task, of: session) }
            try transaction.saveCookies(cookies, of: session)
            try transaction.saveSession(session, SessionSettings(hostConnections: 6))
        }
        await journal.close()
        let again = try await Sample.open(folder)
        #expect(try await again.read { reader throws(ServiceError) in try reader.lastTask(of: session) } == 9)
        #expect(try await again.read { reader throws(ServiceError) in try reader.lastTask(of: .cli) } == 0)
        #expect(try await again.read { reader throws(ServiceError) in try reader.cookies(of: session) } == cookies)
        let settings = try await again.read { reader throws(ServiceError) in try reader.sessionSettings(session) }
        #expect(settings?.hostConnections == 6)
        await again.close()
    }

    @Test func `a session's order outlives its settings' changes, and has each of its own transfers once`()
        async throws
    {
        let folder = try TemporaryFolder()
        let journal = try await Sample.open(folder)
        let session = try SessionID("app:s")
        let records = try (1...4).map { try Sample.record($0, session: $0 == 4 ? "other" : "app:s") }
        try await Sample.insert(records, into: journal)
        let ids = records.map(\.id)
        let stored = try await journal.commit { transaction throws(ServiceError) in
            let stored = try transaction.saveOrder([ids[2], ids[3], ids[0], ids[2], Sample.id(99)], of: session)
            try transaction.saveSession(session, SessionSettings(activeTransfers: 3))
            return stored
        }
        #expect(stored == [ids[2], ids[0]])
        await journal.close()
        let again = try await Sample.open(folder)
        let (order, settings, none) = try await again.read { reader throws(ServiceError) in
            (try reader.order(of: session), try reader.sessionSettings(session), try reader.order(of: .cli))
        }
        #expect(order == stored && settings?.activeTransfers == 3 && none == [])
        let rest = try await again.commit { transaction throws(ServiceError) in
            try transaction.delete(ids[2])
            return try transaction.saveOrder([ids[2], ids[1], ids[0]], of: session)
        }
        #expect(rest == [ids[1], ids[0]])
        await again.close()
    }

    @Test(arguments: ["request", "facts", "failures", "retry", "outcome", "credentials"])
    func `a row that cannot be read fails alone`(column: String) async throws {
        let journal = try SQLiteJournal.inMemory(logger: Sample.quiet)
        try await Sample.insert([try Sample.record(1), try Sample.fullRecord(2), try Sample.record(3)], into: journal)
        try await journal.commit { transaction throws(ServiceError) in
            let table = ["request", "credentials"].contains(column) ? "requests" : "transfers"
            try transaction.connection.execute("UPDATE \(table) SET \(column) = '{' WHERE id = \(Sample.id(2).column)")
        }
        let page = try await journal.page()
        try #require(page.count == 3)
        #expect(page.map(\.outcome?.state) == [nil, .failed, nil])
        guard case .failed(let error) = page[1].outcome else { return }
        #expect(error.code == .journalFailed)
        #expect(page[1].request.session.name == "app")

        // Overwriting the row with a record repairs it.
        var mended = try Sample.fullRecord(2)
        mended.revision = page[1].revision
        mended.attempts = 4
        try await journal.commit { [mended] transaction throws(ServiceError) in try transaction.update(mended) }
        #expect(try await journal.record(Sample.id(2)) == mended)
    }
}
