import FerryCore
import GRDB
import Logging

/// One database access, shared by ``SQLiteReader`` and ``SQLiteTransaction``. Opaque outside this module.
package final class JournalConnection {
    let database: Database
    let health: JournalHealth
    /// Cache of the last request decoded from similar transfers, or `nil` for no cache.
    let alike: AlikeMemory?
    /// The first failure of the database itself, as opposed to a constraint violation.
    private(set) var fault: (any Error)?
    /// Whether the changes cover so many pages that the log is truncated explicitly after the commit.
    private(set) var hasManyPages = false
    /// Whether the log is checkpointed after the commit.
    private(set) var defersCheckpoint = false
    /// Whether deleted content is overwritten everywhere.
    private var isErasing = false

    init(_ database: Database, health: JournalHealth, alike: AlikeMemory? = nil) {
        self.database = database
        self.health = health
        self.alike = alike
    }

    /// Runs statements and translates every error into a `ServiceError`.
    func run<Value>(_ work: (Database) throws -> Value) throws(ServiceError) -> Value {
        do {
            return try work(database)
        } catch {
            var error = error
            if let code = (error as? DatabaseError)?.resultCode, code != .SQLITE_CONSTRAINT {
                if code == .SQLITE_FULL, JournalNumbers.areUsedUp(database) { error = JournalNumbers.usedUp }
                fault = fault ?? error
            }
            throw health.translate(error)
        }
    }

    /// Runs one statement and returns the number of changed rows.
    @discardableResult
    func execute(_ sql: String, _ arguments: StatementArguments = []) throws(ServiceError) -> Int {
        try run { database in
            try database.cachedStatement(sql: sql).execute(arguments: arguments)
            return database.changesCount
        }
    }

    /// Postpones checkpoints until the callers of the commit are resumed, if 1000 or more transfers change. A
    /// checkpoint makes nothing more durable.
    func deferCheckpoint(changing count: Int) throws(ServiceError) {
        guard count >= 1000 else { return }
        defersCheckpoint = true
        try run { try $0.execute(sql: JournalSchema.laterCheckpoint) }
    }

    /// Prepares a transaction for very many pages. They spill to the log early, and the checkpoint waits until the
    /// callers of the commit are resumed.
    func prepareForManyPages() throws(ServiceError) {
        hasManyPages = true
        try run { try $0.execute(sql: JournalSchema.manyPages) }
    }

    /// Runs statements so that no page keeps the content they delete. Freed pages are overwritten too.
    func erasing<Value>(_ work: () throws(ServiceError) -> Value) throws(ServiceError) -> Value {
        // A nested call ends with the outer one.
        guard !isErasing else { return try work() }
        try run { try $0.execute(sql: JournalSchema.eraseEverything) }
        isErasing = true
        defer {
            isErasing = false
            try? database.execute(sql: JournalSchema.eraseCheaply)
        }
        return try work()
    }

    /// Returns the first row of a query.
    func row(_ sql: String, _ arguments: StatementArguments = []) throws(ServiceError) -> Row? {
        try run { try Row.fetchOne($0.cachedStatement(sql: sql), arguments: arguments) }
    }

    /// Calls a closure with each row of a query. Holds one row at a time.
    func forEachRow(
        _ sql: String, _ arguments: StatementArguments = [], _ body: (RowReader) throws -> Void
    ) throws(ServiceError) {
        try run { database in
            let rows = try Row.fetchCursor(database.cachedStatement(sql: sql), arguments: arguments)
            while let row = try rows.next() { try body(RowReader(row)) }
        }
    }

    /// Stops a paged read if a page does not advance. A damaged index may point backward, and the read would never end.
    ///
    /// - Throws: `journal_failed`.
    func checkAdvance(_ advances: Bool) throws(ServiceError) {
        guard !advances else { return }
        try run { _ in throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "An index does not advance.") }
    }

    /// Logs an unreadable row of the journal with its columns.
    func report(unreadable columns: [String], of what: String) {
        health.logger.error(
            "A row of the journal cannot be read.",
            metadata: ["row": "\(what)", "columns": "\(columns.joined(separator: ", "))"])
    }
}
