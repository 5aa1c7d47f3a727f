import FerryCore
import GRDB

/// The state of an existing journal.
enum JournalInspection {
    case usable
    /// Created by a newer Ferry.
    case newer
    /// Created by a build before the first version.
    case unsupported
    /// A database of another program.
    case foreign
    case damaged

    /// Inspects a journal without writing.
    ///
    /// - Parameter checksPages: Whether every page is checked, which takes as long as reading the file.
    init(_ database: Database, checksPages: Bool) throws {
        do {
            if try !Self.isJournal(database) {
                self = .foreign
            } else if try !Self.versions(of: database).isDisjoint(with: JournalSchema.unsupported) {
                self = .unsupported
            } else if try JournalSchema.migrator.hasBeenSuperseded(database) {
                self = .newer
            } else if try !Self.hasTables(database) {
                self = .damaged
            } else if checksPages {
                let answer = try String.fetchOne(database, sql: "PRAGMA quick_check(1)")
                self = answer == "ok" ? .usable : .damaged
            } else {
                self = .usable
            }
        } catch  where error.isDamage {
            self = .damaged
        } catch is RowDecodingError {
            // Ferry did not write this content of the migrations table.
            self = .damaged
        }
    }

    /// Whether the database is Ferry's, or has no tables at all.
    private static func isJournal(_ database: Database) throws -> Bool {
        if try Int64.fetchOne(database, sql: "PRAGMA application_id") == JournalSchema.applicationID { return true }
        return try Int64.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema") == 0
    }

    /// The names of the versions that the database has gone through.
    private static func versions(of database: Database) throws -> Set<String> {
        try JournalSchema.migrator.appliedIdentifiers(database)
    }

    /// Whether the tables of the first version exist, or no table exists yet.
    private static func hasTables(_ database: Database) throws -> Bool {
        let made = try Set(String.fetchAll(database, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'"))
        return made.isEmpty || JournalSchema.firstTables.isSubset(of: made)
    }
}

/// An inspection of a journal's file through a read-only connection.
struct ReadOnlyInspection {
    let found: JournalInspection
    /// `nil` if the file is not a database.
    private let queue: DatabaseQueue?

    /// - Returns: `nil` if a read-only inspection is impossible. If the last writer crashed before switching to WAL
    ///   mode, a writing connection is needed.
    init?(_ path: String, checksPages: Bool) throws {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(JournalSchema.busyTimeout)
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            found = try queue.unsafeRead { try JournalInspection($0, checksPages: checksPages) }
            self.queue = queue
        } catch  where error.isDamage {
            (found, queue) = (.damaged, nil)
        } catch let error as DatabaseError where [.SQLITE_READONLY, .SQLITE_CANTOPEN].contains(error.resultCode) {
            return nil
        }
    }

    /// Closes the connection. Do not close it as the last connection: SQLite would remove the log's index, and the next
    /// connection would read the whole log.
    func close() { try? queue?.close() }
}

extension Error {
    /// Whether SQLite reports a damaged file or a file that is not a database.
    var isDamage: Bool {
        guard let code = (self as? DatabaseError)?.resultCode else { return false }
        return code == .SQLITE_CORRUPT || code == .SQLITE_NOTADB
    }
}
