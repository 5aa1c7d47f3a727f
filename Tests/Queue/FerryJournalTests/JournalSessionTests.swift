import FerryCore
import FerryQueue
import FerryRules
import Foundation
import JournalKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Sessions in both journals` {
    @Test(arguments: JournalKind.allCases)
    func `have settings, and counts of their transfers`(kind: JournalKind) async throws {
        let journal = try kind.open()
        #expect(try await journal.read { reader throws(ServiceError) in try reader.settings() } == nil)
        var settings = ServiceSettings()
        settings.activeTransfers = 3
        try await Sample.insert([try Sample.record(1), try Sample.record(2, session: "other")], into: journal)
        try await journal.commit { [settings] transaction throws(ServiceError) in
            try transaction.saveSettings(settings)
            try transaction.saveSession(try SessionID("app"), SessionSettings(activeTransfers: 2, rateLimit: 4096))
        }
        #expect(try await journal.read { reader throws(ServiceError) in try reader.settings() } == settings)
        let (all, stored) = try await journal.read { reader throws(ServiceError) in
            (
                try reader.sessions().map { ($0.id.name, $0.settings.rateLimit, $0.counts) },
                try reader.storedSessions().map { ($0.id.name, $0.settings.activeTransfers) }
            )
        }
        #expect(all.map(\.0) == ["app", "cli", "other"] && all.map(\.1) == [4096, 0, 0])
        #expect(all.map(\.2) == [[:], [.pending: 1], [.pending: 1]])
        #expect(stored.map(\.0) == ["app"] && stored.map(\.1) == [2])
        #expect(try await journal.counts() == [.pending: 2])
        await journal.close()
    }

    @Test(arguments: JournalKind.allCases)
    func `keep the highest number of a task and their cookies whatever else changes`(kind: JournalKind) async throws {
        let journal = try kind.open()
        let session = try SessionID("app/s")
        var cookies = TransferCookies()
        cookies.store(setCookie: "k=v", from: try HTTPURL(parsing: "http://a.example/"), now: Date())
        try await journal.commit { [cookies] transaction throws(ServiceError) in
            for task in [3, 9, 4] { try transaction.noteTask(task, of: session) }
            try transaction.saveCookies(cookies, of: session)
            try transaction.saveSession(session, SessionSettings(hostConnections: 6))
        }
        let (tasks, found, settings) = try await journal.read { reader throws(ServiceError) in
            (
                [try reader.lastTask(of: session), try reader.lastTask(of: .cli)],
                [try reader.cookies(of: session), try reader.cookies(of: .cli)],
                [
                    try reader.sessionSettings(session)?.hostConnections,
                    try reader.sessionSettings(.cli)?.hostConnections,
                ]
            )
        }
        #expect(tasks == [9, 0] && found == [cookies, TransferCookies()] && settings == [6, nil])
        await journal.close()
    }

    @Test(arguments: JournalKind.allCases)
    func `have an order of their own transfers, each once`(kind: JournalKind) async throws {
        let journal = try kind.open()
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
        let (order, settings, none) = try await journal.read { reader throws(ServiceError) in
            (try reader.order(of: session), try reader.sessionSettings(session), try reader.order(of: .cli))
        }
        #expect(order == stored && settings?.activeTransfers == 3 && none == [])
        await journal.close()
    }

    @Test(arguments: JournalKind.allCases)
    func `of apps are found with their apps`(kind: JournalKind) async throws {
        let journal = try kind.open()
        let session = try SessionID("photos:main")
        let record = ApplicationRecord()
        let registration = SessionRegistration(application: "photos", identifier: "main", sendsLaunchEvents: true)
        try await journal.commit { transaction throws(ServiceError) in
            try transaction.saveApplication("photos", record)
            try transaction.saveRegistration(registration, of: session)
        }
        let (applications, registrations, stored) = try await journal.read { reader throws(ServiceError) in
            (try reader.applications(), try reader.registrations(), try reader.storedSessions().map(\.id))
        }
        #expect(applications == ["photos": record] && registrations == [session: registration] && stored == [session])
        await journal.close()
    }
}
