import FerryCore
import GRDB
import Logging

/// One access to the database: what ``SQLiteReader`` and ``SQLiteTransaction`` work on. Opaque outside this module.
package final class JournalConnection {
    let database: Database
    let health: JournalHealth
    /// What was read last of transfers that are alike; nil remembers nothing.
    let alike: AlikeMemory?
    /// The first failure of the database itself, as opposed to a change that does not fit.
    private(set) var fault: (any Error)?
    /// Whether its changes are of so many pages that the log is emptied by itself, after the commit.
    private(set) var hasManyPages = false
    /// Whether its changes are moved from the log into the journal's file after the commit.
    private(set) var defersCheckpoint = false
    /// Whether what is deleted is overwritten everywhere.
    private var isErasing = false

    init(_ database: Database, health: JournalHealth, alike: AlikeMemory? = nil) {
        self.database = database
        self.health = health
        self.alike = alike
    }

    /// Runs statements; every error comes out as Ferry's.
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

    /// Runs one statement and returns how many rows it changed.
    @discardableResult
    func execute(_ sql: String, _ arguments: StatementArguments = []) throws(ServiceError) -> Int {
        try run { database in
            try database.cachedStatement(sql: sql).execute(arguments: arguments)
            return database.changesCount
        }
    }

    /// Lets the log grow until the commit has been told of, where very many transfers are changed: moving it into the journal's
    /// file makes nothing more durable.
    func deferCheckpoint(changing count: Int) throws(ServiceError) {
        guard count >= 1000 else { return }
        defersCheckpoint = true
        try run { try $0.execute(sql: JournalSchema.laterCheckpoint) }
    }

    /// Lets a transaction write very many pages: they go to the log early, and stay there until the commit is told of.
    func prepareForManyPages() throws(ServiceError) {
        hasManyPages = true
        try run { try $0.execute(sql: JournalSchema.manyPages) }
    }

    /// Runs statements after which no page holds what they delete; pages that become free are written for that.
    func erasing<Value>(_ work: () throws(ServiceError) -> Value) throws(ServiceError) -> Value {
        // One within another ends with the outer one.
        guard !isErasing else { return try work() }
        try run { try $0.execute(sql: JournalSchema.eraseEverything) }
        isErasing = true
        defer {
            isErasing = false
            try? database.execute(sql: JournalSchema.eraseCheaply)
        }
        return try work()
    }

    /// The first row of a query.
    func row(_ sql: String, _ arguments: StatementArguments = []) throws(ServiceError) -> Row? {
        try run { try Row.fetchOne($0.cachedStatement(sql: sql), arguments: arguments) }
    }

    /// Calls a closure with each row of a query, holding one at a time.
    func forEachRow(
        _ sql: String, _ arguments: StatementArguments = [], _ body: (RowReader) throws -> Void
    ) throws(ServiceError) {
        try run { database in
            let rows = try Row.fetchCursor(database.cachedStatement(sql: sql), arguments: arguments)
            while let row = try rows.next() { try body(RowReader(row)) }
        }
    }

    /// Ends a reading that goes page by page where a page does not advance, as in an index that is damaged so that it leads
    /// back: the reading would never end.
    func checkAdvance(_ advances: Bool) throws(ServiceError) {
        guard !advances else { return }
        try run { _ in throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "An index does not advance.") }
    }

    /// Reports a value in the journal that cannot be read.
    func report(unreadable columns: [String], of what: String) {
        health.logger.error(
            "A row of the journal cannot be read.",
            metadata: ["row": "\(what)", "columns": "\(columns.joined(separator: ", "))"])
    }
}
