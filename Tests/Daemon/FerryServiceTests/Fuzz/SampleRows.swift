import FerryCore
import FerryEngine
@testable import FerryQueue
@testable import FerryService
@testable import FerryStore
import FerryRules
import FerryTesting
import Foundation
import JournalKit

/// Rows with a value in every column of every table. Their requests name no host but this machine.
enum SampleRows {
    static func id(_ number: UInt64) -> TransferID { TransferID(rawValue: 1_700_000_000_000 << 20 + number) }
    static let ids = [1...12, 20...22].joined().map(id)
    static let application = "app:s"

    static func fill(_ transaction: any JournalTransaction, in folder: String) throws(ServiceError) {
        let now = Date()
        let session = try SessionID(application)
        for number: UInt64 in 1...12 {
            let record = try record(number, number.isMultiple(of: 2) ? .cli : session, in: folder, now)
            try transaction.insert(record)
            try transaction.appendEvent(
                kind: .submitted, at: now, id: record.id, session: record.request.session,
                snapshot: Transfer(record, live: .waiting(.slot)))
        }
        try fillList(transaction, in: folder, now)
        try transaction.saveSettings(ServiceSettings())
        try transaction.saveSession(.cli, SessionSettings(activeTransfers: 3, rateLimit: 4096))
        try transaction.saveCookies(TransferCookies(), of: .cli)
        _ = try transaction.saveOrder(TransferIDRuns(ids), of: .cli)
        try transaction.saveApplication("app", ApplicationRecord())
        try transaction.saveRegistration(
            SessionRegistration(application: "app", identifier: "s", sendsLaunchEvents: true), of: session)
    }

    /// Adds the transfers of a list, which share one row for their requests.
    private static func fillList(
        _ transaction: any JournalTransaction, in folder: String, _ now: Date
    ) throws(ServiceError) {
        var (reader, urls) = (HTTPURLReader(), URLTable())
        for number in 20..<23 {
            urls.append(try reader.read(Array("http://127.0.0.1:1/\(number)".utf8)[...]))
        }
        urls.finish()
        let request = TransferRequest(url: "http://127.0.0.1:1/", folder: folder + "/in")
        let template = BatchTemplate(
            TransferRecord(id: id(20), createdAt: now, request: request, credentials: nil))
        _ = try transaction.insert(urls, like: template, first: id(20), session: .cli, at: now, keptEvents: 9)
    }

    private static func record(
        _ number: UInt64, _ session: SessionID, in folder: String, _ now: Date
    ) throws(ServiceError) -> TransferRecord {
        var request = TransferRequest(url: "http://127.0.0.1:1/\(number)", folder: folder + "/in")
        request.session = session
        request.timing.retryRule = RetryRule(maximumAttemptsWithoutProgress: 3, statusCodes: [503])
        request.note = ClientNote(application: "app", identifier: "s", task: 4, kind: .download, data: "d")
        request.timing.resourceTimeout = 5000
        request.timing.deadline = now + 5000
        request.tags = ["a", "b"]
        request.headers = [HeaderField(name: "Authorization", value: "x")]
        request.transport.network.allowsCellular = number < 5
        var record = TransferRecord(
            id: id(number), createdAt: now, request: request, credentials: Credentials(user: "u", password: "p"))
        record.facts.ranges = ByteRangeSet(0..<4096)
        record.facts.identity = ResourceIdentity(
            origin: try HTTPURL(parsing: request.url).origin, etag: "\"v\"", completeLength: 8192)
        record.facts.partial = PartialFacts(
            folder: folder + "/in", name: ".ferry-\(number).part", device: 1, inode: number, folderDevice: 1,
            folderInode: 2)
        record.facts.destination = folder + "/in/\(number)"
        record.facts.restarts = 1
        record.active.begin(at: SystemClock().active)
        _ = record.failures.failed(
            ServiceError(.connectFailed, "No."), policy: request.retryPolicy, now: now, random: 0.5)
        switch number % 4 {
        case 0: record.outcome = .failed(ServiceError(.notFound, "No."))
        case 1: record.intent = .suspend
        case 2 where number > 4:
            record.retry = RetryPlan(
                at: now + 900, delay: 900, reason: .retry, error: ServiceError(.connectFailed, "No."))
        case 2: break
        default:
            record.outcome = .succeeded(Outcome.Success(path: folder + "/in/\(number)", size: 8192, verified: []))
        }
        if record.outcome != nil { record.finishedAt = now }
        return record
    }

    // MARK: Edits

    private static let texts: [String: [String]] = [
        "transfers": [
            "facts", "failures", "retry", "outcome", "line", "intent", "priority", "origin", "session",
            "destination", "placed", "former", "network", "retry_reason", "active_boot",
        ],
        "requests": ["request", "credentials"], "request_templates": ["head", "tail"],
        "sessions": ["settings", "cookies", "name"],
        "settings": ["value", "name"], "events": ["snapshot", "kind", "session"],
        "registrations": ["value", "session"], "applications": ["value", "name"], "transfer_tags": ["tag"],
    ]
    private static let numbers: [String: [String]] = [
        "transfers": [
            "phase", "created_at", "finished_at", "retry_at", "attempts", "has_partial", "due", "secrets", "id",
            "revision", "ended", "not_before", "deadline", "starts_late", "restarts", "spooled", "secrets_forgotten",
            "active_at", "active_spent", "active_uptime", "retry_delay", "resource_timeout",
        ],
        "events": ["at", "id", "number"], "requests": ["id", "template"],
        "request_templates": ["template", "first", "last"], "sessions": ["last_task"], "transfer_tags": ["id"],
        "sqlite_sequence": ["seq"],
    ]

    /// Changes some columns in some rows of some tables, and skips values that do not fit the table.
    static func edit(_ transaction: any JournalTransaction, _ mutations: inout Mutations) throws(ServiceError) {
        for _ in 0..<6 {
            switch Int.random(in: 0..<8, using: &mutations) {
            case 0..<5: try editText(transaction, &mutations)
            case 5: try editOrder(transaction, &mutations)
            default: try editNumber(transaction, &mutations)
            }
        }
    }

    /// Sets a column to a text in all rows of a table.
    static func set(
        _ column: String, of table: String, to text: [UInt8], _ transaction: any JournalTransaction
    ) throws(ServiceError) {
        try execute("UPDATE \(table) SET \(column) = CAST(x'\(hex(text))' AS TEXT)", transaction)
    }

    private static func column(
        of tables: [String: [String]], _ mutations: inout Mutations
    ) -> (table: String, column: String) {
        let names = tables.keys.sorted()
        let table = names[Int.random(in: 0..<names.count, using: &mutations)]
        let columns = tables[table] ?? []
        return (table, columns[Int.random(in: 0..<columns.count, using: &mutations)])
    }

    private static func editText(
        _ transaction: any JournalTransaction, _ mutations: inout Mutations
    ) throws(ServiceError) {
        let (table, column) = column(of: texts, &mutations)
        for old in try values("SELECT DISTINCT CAST(\(column) AS BLOB) FROM \(table)", transaction)
        where Int.random(in: 0..<3, using: &mutations) == 0 {
            let new = hex(mutations.mutate(old))
            try execute(
                "UPDATE OR IGNORE \(table) SET \(column) = CAST(x'\(new)' AS TEXT) "
                    + "WHERE CAST(\(column) AS BLOB) = x'\(hex(old))'", transaction)
        }
    }

    private static func editOrder(
        _ transaction: any JournalTransaction, _ mutations: inout Mutations
    ) throws(ServiceError) {
        let sql = "SELECT transfer_order FROM sessions WHERE transfer_order IS NOT NULL"
        guard let old = try values(sql, transaction).first else { return }
        try execute("UPDATE sessions SET transfer_order = x'\(hex(mutations.mutate(old)))'", transaction)
    }

    private static func editNumber(
        _ transaction: any JournalTransaction, _ mutations: inout Mutations
    ) throws(ServiceError) {
        let (table, column) = column(of: numbers, &mutations)
        var value = Mutations.integers[Int.random(in: 0..<Mutations.integers.count, using: &mutations)]
        // With SQLite's maximum as the last number, no event could be stored.
        if column == "number" || column == "seq" { value = min(value, 1 << 60) }
        let rest = Int.random(in: 0..<3, using: &mutations)
        try execute(
            "UPDATE OR IGNORE \(table) SET \(column) = \(value) WHERE ifnull(\(column), 0) % 3 = \(rest)", transaction)
    }

    private static func values(
        _ sql: String, _ transaction: any JournalTransaction
    ) throws(ServiceError) -> [[UInt8]] {
        var values: [[UInt8]] = []
        try transaction.connection.forEachRow(sql) { row in
            if let data = row.data(0) { values.append([UInt8](data)) }
        }
        return values
    }

    /// Executes a statement. A violation of the table's constraints changes nothing.
    private static func execute(_ sql: String, _ transaction: any JournalTransaction) throws(ServiceError) {
        do throws(ServiceError) { try transaction.connection.execute(sql) } catch {
            guard error.code == .internal else { throw error }
        }
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
