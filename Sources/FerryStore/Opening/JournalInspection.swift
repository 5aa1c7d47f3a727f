// Ferry: FerryStore
// What an existing journal is, found without changing it.

import FerryCore
import GRDB

/// What an existing journal is.
enum JournalInspection {
    case usable
    /// Made by a newer Ferry.
    case newer
    case damaged

    /// Looks at a journal; writes nothing.
    ///
    /// - Parameter checksPages: Whether every page is looked at, which takes as long as reading the file.
    init(_ database: Database, checksPages: Bool) throws {
        do {
            if try JournalSchema.migrator.hasBeenSuperseded(database) {
                self = .newer
            } else if checksPages {
                let answer = try String.fetchOne(database, sql: "PRAGMA quick_check(1)")
                self = answer == "ok" ? .usable : .damaged
            } else {
                self = .usable
            }
        } catch let error as DatabaseError where error.isDamage {
            self = .damaged
        }
    }

    /// Looks at the file through a connection that cannot write; nil if that is not possible.
    ///
    /// A file whose last writer died before it was in WAL mode needs a writing connection to be read.
    init?(readOnly path: String, checksPages: Bool) throws {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(JournalSchema.busyTimeout)
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            defer { try? queue.close() }
            self = try queue.unsafeRead { try JournalInspection($0, checksPages: checksPages) }
        } catch let error as DatabaseError where error.isDamage {
            self = .damaged
        } catch let error as DatabaseError where [.SQLITE_READONLY, .SQLITE_CANTOPEN].contains(error.resultCode) {
            return nil
        }
    }
}

extension DatabaseError {
    /// Whether SQLite says that the file is not what it wrote.
    var isDamage: Bool { resultCode == .SQLITE_CORRUPT || resultCode == .SQLITE_NOTADB }
}
