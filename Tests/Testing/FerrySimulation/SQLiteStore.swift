import FerryCore
import FerryRules
import GRDB
import Logging

@testable import FerryQueue
@testable import FerryService
@testable import FerryStore

/// The contents of a journal in SQLite, in memory. Each change is also made to an in-memory journal, which must agree.
///
/// All histories use one database, each in a transaction that is rolled back: new statements for each would take most of
/// the time. Uses one at a time.
final class SQLiteStore: SimulatedStore {
    private let shadow = MemoryStore()
    private let database: DatabaseQueue
    let preparing: any Journal
    private(set) var fault: String?

    var rows: MemoryTransaction { shadow.rows }

    private static let logger = Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() }
    private static let health = JournalHealth(file: nil, logger: logger)
    private static let empty = Result {
        var configuration = JournalSchema.configuration
        configuration.allowsUnsafeTransactions = true
        let database = try DatabaseQueue(configuration: configuration)
        try JournalSchema.migrator.migrate(database)
        return database
    }

    init() {
        do {
            database = try Self.empty.get()
            try database.writeWithoutTransaction { database in
                if database.isInsideTransaction { try database.rollback() }
                try database.beginTransaction(.immediate)
            }
        } catch {
            preconditionFailure("There is no database: \(error)")
        }
        preparing = SQLiteJournal(database, health: Self.health, probe: { _ in nil })
    }

    func write<Value>(_ body: (any JournalTransaction) throws(ServiceError) -> Value) throws(ServiceError) -> Value {
        var result: Result<Value, ServiceError> = .failure(ServiceError(.internal, "Nothing was done."))
        do {
            try database.writeWithoutTransaction { database in
                try database.inSavepoint {
                    let connection = JournalConnection(database, health: Self.health)
                    result = Result { () throws(ServiceError) in
                        try body(SQLiteTransaction(connection: connection))
                    }
                    if let fault = connection.fault { throw fault }
                    if case .failure = result { return .rollback }
                    return .commit
                }
            }
        } catch {
            fault = fault ?? "the database fails: \(error)"
        }
        let other = Result { () throws(ServiceError) in try shadow.write(body) }
        switch (result, other) {
        case (.success(let one), .success(let other)):
            if !Self.areEqual(one, other) { fault = fault ?? "SQLite answers \(one), and memory \(other)" }
        case (.failure(let one), .failure(let other)) where one.code == other.code: break
        default: fault = fault ?? "SQLite answers \(result), and memory \(other)"
        }
        return try result.get()
    }

    /// Compares values of a type that can be compared.
    private static func areEqual(_ one: Any, _ other: Any) -> Bool {
        func isEqual<Value: Equatable>(_ one: Value) -> Bool { other as? Value == one }
        guard let one = one as? any Equatable else { return true }
        return isEqual(one)
    }

    func read<Value>(_ body: (any JournalReader) throws(ServiceError) -> Value) throws(ServiceError) -> Value {
        let result = database.unsafeRead { database in
            let connection = JournalConnection(database, health: Self.health)
            return Result { () throws(ServiceError) in try body(SQLiteReader(connection: connection)) }
        }
        return try result.get()
    }

    func difference() -> String? {
        if let fault { return fault }
        do throws(ServiceError) {
            let (here, there) = (try read(Self.contents), try shadow.read(Self.contents))
            for (one, other) in zip(here, there) where one != other { return "SQLite has \(one), and memory \(other)" }
            return here.count == there.count ? nil : "SQLite has \(here.count) rows, and memory \(there.count)"
        } catch {
            return "the database cannot be read: \(error)"
        }
    }

    /// The essential contents of a journal as lines.
    private static func contents(_ reader: any JournalReader) throws(ServiceError) -> [String] {
        var lines: [String] = []
        var filter = JournalFilter()
        filter.limit = .max
        for record in try reader.page(filter) {
            lines.append(
                "\(record.id) \(record.intent) \(record.outcome.map { "\($0)" } ?? "-") \(record.attempts) "
                    + "\(record.facts.ranges.byteCount) \(record.request.url) \(record.request.timing.priority)")
        }
        for event in try reader.events(after: 0, limit: .max) {
            lines.append("\(event.number ?? 0) \(event.kind) \(event.id) \(event.session)")
        }
        for session in try reader.storedSessions() { lines.append("\(session.id) \(session.settings)") }
        return lines
    }
}
