import FerryCore
import GRDB

/// What an existing journal is.
enum JournalInspection {
    case usable
    /// Made by a newer Ferry.
    case newer
    /// A database of another program.
    case foreign
    case damaged

    /// Looks at a journal; writes nothing.
    ///
    /// - Parameter checksPages: Whether every page is looked at, which takes as long as reading the file.
    init(_ database: Database, checksPages: Bool) throws {
        do {
            if try !Self.isJournal(database) {
                self = .foreign
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
        } catch let error as DatabaseError where error.isDamage {
            self = .damaged
        } catch is RowDecodingError {
            // The table of versions says nothing that Ferry has written.
            self = .damaged
        }
    }

    /// Whether a database is Ferry's, or one that its maker has left without a table.
    private static func isJournal(_ database: Database) throws -> Bool {
        if try Int64.fetchOne(database, sql: "PRAGMA application_id") == JournalSchema.applicationID { return true }
        return try Int64.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema") == 0
    }

    /// Whether the tables are there that the first version made, if it was.
    private static func hasTables(_ database: Database) throws -> Bool {
        let made = try Set(String.fetchAll(database, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'"))
        return made.isEmpty || JournalSchema.firstTables.isSubset(of: made)
    }
}

/// A look at a journal's file through a connection that cannot write.
struct ReadOnlyInspection {
    let found: JournalInspection
    /// Nil where the file is no database.
    private let queue: DatabaseQueue?

    /// - Returns: nil if such a look is not possible: a file whose last writer died before it was in WAL mode needs a writing
    ///   connection to be read.
    init?(_ path: String, checksPages: Bool) throws {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(JournalSchema.busyTimeout)
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            found = try queue.unsafeRead { try JournalInspection($0, checksPages: checksPages) }
            self.queue = queue
        } catch let error as DatabaseError where error.isDamage {
            (found, queue) = (.damaged, nil)
        } catch let error as DatabaseError where [.SQLITE_READONLY, .SQLITE_CANTOPEN].contains(error.resultCode) {
            return nil
        }
    }

    /// Closes the connection. The last one that closes takes the index of the log with it: the next one reads the whole log.
    func close() { try? queue?.close() }
}

extension DatabaseError {
    /// Whether SQLite says that the file is not what it wrote.
    var isDamage: Bool { resultCode == .SQLITE_CORRUPT || resultCode == .SQLITE_NOTADB }
}
