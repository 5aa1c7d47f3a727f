// Ferry: FerryServiceTests
// Journals that are almost right.

import FerryCore
@testable import FerryService
@testable import FerryStore
import FerryTesting
import Foundation
import Logging
import Testing

/// A journal may be of an earlier version, edited by its user, or damaged by a disk: no start ends by a trap or hangs, and
/// what the journal has is shown, acted upon and forgotten.
@Suite(.serialized, .timeLimit(.minutes(3))) struct `Mutated journals` {
    private static let columns = [
        "transfers.facts", "transfers.failures", "transfers.retry", "transfers.outcome", "transfers.active",
        "transfers.line", "requests.request", "requests.credentials", "sessions.settings", "sessions.cookies",
        "settings.value", "events.snapshot", "registrations.value", "applications.value", "transfers.intent",
        "transfers.priority", "transfers.origin", "transfers.session", "transfers.destination", "events.kind",
    ]
    private static let numbers = [
        "transfers.phase", "transfers.created_at", "transfers.finished_at", "transfers.retry_at", "transfers.attempts",
        "transfers.has_partial", "transfers.due", "events.at", "events.id", "sessions.last_task", "sqlite_sequence.seq",
    ]

    private static let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private func journal(_ folder: TemporaryFolder) async throws -> Journal {
        try await Journal.open(at: folder.file("journal.sqlite"), logger: Self.quiet).journal
    }

    /// Fills a journal with something in every column; nothing in it is asked of another host than this one.
    private func fill(_ folder: TemporaryFolder) async throws {
        let journal = try await journal(folder)
        let now = Date()
        var records: [TransferRecord] = []
        for number: UInt64 in 1...12 {
            var request = TransferRequest(url: "http://127.0.0.1:1/\(number)", folder: folder.file("in"))
            request.session = try SessionID(number.isMultiple(of: 2) ? "cli" : "app:s")
            request.retryRule = RetryRule(maximumAttemptsWithoutProgress: 3, statusCodes: [503])
            request.note = ClientNote(application: "app", identifier: "s", task: 4, kind: .download, data: "d")
            request.resourceTimeout = 5000
            request.deadline = now + 5000
            request.headers = [HeaderField(name: "Authorization", value: "x")]
            var record = TransferRecord(
                id: TransferID(rawValue: 1_700_000_000_000 << 20 + number), createdAt: now, request: request,
                credentials: Credentials(user: "u", password: "p"))
            record.facts.ranges = ByteRangeSet(0..<4096)
            record.facts.identity = ResourceIdentity(
                origin: try HTTPURL(parsing: request.url).origin, etag: "\"v\"", completeLength: 8192)
            record.facts.partial = PartialFacts(
                folder: folder.file("in"), name: ".ferry-\(number).part", device: 1, inode: number, folderDevice: 1,
                folderInode: 2)
            record.facts.restarts = 1
            record.active.begin(at: .now)
            _ = record.failures.failed(
                TransferError(.connectFailed, "No."), policy: request.retryPolicy, now: now, random: 0.5)
            switch number % 4 {
            case 0: record.outcome = .failed(TransferError(.notFound, "No."))
            case 1: record.intent = .suspend
            case 2:
                record.retry = RetryPlan(
                    at: now + 900, delay: 900, reason: .retry, error: TransferError(.connectFailed, "No."))
            default:
                record.outcome = .succeeded(
                    Outcome.Success(path: folder.file("in/\(number)"), size: 8192, verified: []))
            }
            if record.outcome != nil { record.finishedAt = now }
            records.append(record)
        }
        let stored = records
        try await journal.commit { transaction throws(TransferError) in
            for record in stored {
                try transaction.insert(record)
                try transaction.appendEvent(
                    kind: .submitted, at: now, id: record.id, session: record.request.session,
                    snapshot: Transfer(record, live: .waiting(.slot)))
            }
            try transaction.saveSettings(ServiceSettings())
            try transaction.saveSession(.cli, SessionSettings(activeTransfers: 3, rateLimit: 4096))
            try transaction.saveCookies(TransferCookies(), of: .cli)
            _ = try transaction.saveOrder(TransferIDRuns(stored.map(\.id)), of: .cli)
        }
        await journal.close()
    }

    /// Starts a service over what is in a folder, and has it show, start and forget everything.
    private func use(_ folder: TemporaryFolder) async throws {
        var configuration = ServiceConfiguration(stateFolder: folder.path, logger: Self.quiet, environment: [:])
        configuration.delayScale = 1e-6
        // Without networks nothing but this machine is asked.
        configuration.conditions = FakeConditions { $0.reachable = false }
        let service: LocalTransferService
        do throws(TransferError) {
            service = try await LocalTransferService.open(configuration)
        } catch {
            #expect(error.code == .journalFailed)
            return
        }
        let session = try SessionID("app:s")
        do throws(TransferError) {
            _ = try await service.transfers(TransferQuery())
            _ = try await service.allTransfers(of: .cli)
            _ = try await service.sessions()
            _ = try await service.status()
            _ = try await service.settings()
            _ = try await service.act(.retry, on: TransferSelection())
            _ = try await service.act(.start, in: session, on: nil)
            _ = try await service.act(.pause, in: .cli, on: nil)
            try await service.trimEvents()
            _ = try await service.act(.remove, on: TransferSelection())
            _ = try await service.act(.removeWithFile, in: session, on: nil)
        } catch {
            // The journal may turn out to be damaged only when it is used.
            #expect(error.code != .invalidRequest)
        }
        await service.shutdown()
    }

    private func copy(_ template: TemporaryFolder, to folder: TemporaryFolder) throws {
        try FileManager.default.copyItem(
            atPath: template.file("journal.sqlite"), toPath: folder.file("journal.sqlite"))
    }

    @Test func `with rows that were edited start, and show what they have`() async throws {
        var mutations = Mutations(seed: 21)
        try await withTemporaryFolder { template in
            try await fill(template)
            for _ in 0..<mutations.count(12) {
                var edits: [String] = []
                for _ in 0..<6 {
                    let isNumber = Bool.random(using: &mutations)
                    let names = isNumber ? Self.numbers : Self.columns
                    let name = names[Int.random(in: 0..<names.count, using: &mutations)].split(separator: ".")
                    let value =
                        isNumber
                        ? String(Mutations.numbers[Int.random(in: 0..<Mutations.numbers.count, using: &mutations)])
                        : "mutated(\(name[1]))"
                    edits.append("UPDATE OR IGNORE \(name[0]) SET \(name[1]) = \(value) WHERE abs(random()) % 3 = 0")
                }
                try await withTemporaryFolder { folder in
                    try copy(template, to: folder)
                    try await edit(folder, edits, &mutations)
                    try await use(folder)
                }
            }
        }
    }

    /// Makes edits; what stands for a mutated text is mutated row by row.
    private func edit(_ folder: TemporaryFolder, _ edits: [String], _ mutations: inout Mutations) async throws {
        let journal = try await journal(folder)
        for edit in edits {
            guard let mark = edit.firstRange(of: "mutated(") else {
                _ = try? await journal.commit { transaction throws(TransferError) in
                    try transaction.connection.execute(edit)
                }
                continue
            }
            let table = edit.split(separator: " ")[3]
            let column = edit[mark.upperBound...].prefix { $0 != ")" }
            let texts = try await journal.read { reader throws(TransferError) in
                var texts: [String] = []
                try reader.connection.forEachRow("SELECT \(column) FROM \(table)") { row in
                    if let text = row.text(0) { texts.append(text) }
                }
                return texts
            }
            for text in texts where Int.random(in: 0..<3, using: &mutations) == 0 {
                let (old, new) = (Self.hex(text), Self.hex(mutations.mutate(text)))
                let statement = """
                    UPDATE OR IGNORE \(table) SET \(column) = CAST(x'\(new)' AS TEXT) WHERE \(column) = CAST(x'\(old)' AS TEXT)
                    """
                _ = try? await journal.commit { transaction throws(TransferError) in
                    try transaction.connection.execute(statement)
                }
            }
        }
        await journal.close()
    }

    private static func hex(_ text: String) -> String {
        text.utf8.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    @Test func `whose file was damaged are used, or set aside`() async throws {
        var mutations = Mutations(seed: 22)
        try await withTemporaryFolder { template in
            try await fill(template)
            let bytes = [UInt8](try #require(FileManager.default.contents(atPath: template.file("journal.sqlite"))))
            for round in 0..<mutations.count(12) {
                var damaged = bytes
                switch round % 4 {
                case 0: damaged = mutations.mutate(bytes)
                case 1:
                    for _ in 0..<20 {
                        damaged[Int.random(in: 0..<damaged.count, using: &mutations)] = .random(
                            in: 0...255, using: &mutations)
                    }
                case 2:
                    // The head of a page, where SQLite says how the page is made up.
                    let page =
                        Int.random(in: 0..<damaged.count / 4096, using: &mutations) * 4096 + (round < 4 ? 100 : 0)
                    for offset in 0..<8 { damaged[page + offset] = .random(in: 0...255, using: &mutations) }
                default: damaged.removeLast(Int.random(in: 1..<damaged.count, using: &mutations))
                }
                try await withTemporaryFolder { folder in
                    try Data(damaged).write(to: URL(filePath: folder.file("journal.sqlite")))
                    try await use(folder)
                }
            }
        }
    }
}
