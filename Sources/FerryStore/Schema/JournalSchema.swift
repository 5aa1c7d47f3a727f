import GRDB

/// The tables of the journal; `docs/formats/journal.md` describes them.
enum JournalSchema {
    /// Seconds that a statement waits for a lock that another process, such as a backup, holds.
    static let busyTimeout = 10.0

    /// How the writing connection works. GRDB sets `NORMAL` with WAL; a commit that was acknowledged must survive a power cut.
    /// With less of a cache, a transaction that changes thousands of transfers writes its pages several times.
    /// What is deleted is overwritten where that writes no further pages; some builds of SQLite write further pages as well.
    static let usualPages = """
        PRAGMA synchronous = FULL; PRAGMA cache_size = -32768; PRAGMA wal_autocheckpoint = 1000; \
        \(eraseCheaply)
        """

    static let eraseCheaply = "PRAGMA secure_delete = FAST"
    /// How it works while it deletes secrets.
    static let eraseEverything = "PRAGMA secure_delete = ON"

    /// How it works while it changes so many pages that their callers would wait for the log to be moved.
    static let laterCheckpoint = "PRAGMA wal_autocheckpoint = 0"

    /// How it works while it adds more pages than are to be in memory.
    static let manyPages = "PRAGMA cache_size = -8192; PRAGMA wal_autocheckpoint = 0"

    static var configuration: Configuration {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(busyTimeout)
        configuration.maximumReaderCount = 4
        configuration.label = "ferry.journal"
        return configuration
    }

    /// For a file: free pages can be given back one by one, which is decided before the first table is made.
    static var fileConfiguration: Configuration {
        var configuration = configuration
        configuration.prepareDatabase { database in
            // A file with pages has its form; saying it again would write to it at each start.
            guard !database.configuration.readonly, try Int.fetchOne(database, sql: "PRAGMA page_count") == 0 else {
                return
            }
            try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
        }
        return configuration
    }

    /// Every version's step. A step that was released never changes; a new version adds one.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { try $0.execute(sql: version1) }
        migrator.registerMigration("2") { database in
            for step in version2 { try database.execute(sql: step) }
        }
        migrator.registerMigration("3") { try $0.execute(sql: version3) }
        migrator.registerMigration("4") { database in
            for step in version4 { try database.execute(sql: step) }
        }
        migrator.registerMigration("5") { database in
            for step in version5 { try database.execute(sql: step) }
        }
        migrator.registerMigration("6") { database in
            for step in version6 { try database.execute(sql: step) }
        }
        // A name that some journals have, and which needs no step.
        migrator.registerMigration("7") { _ in }
        migrator.registerMigration("8") { database in
            for step in version8 { try database.execute(sql: step) }
        }
        migrator.registerMigration("9") { database in
            for step in version9 { try database.execute(sql: step) }
        }
        migrator.registerMigration("10") { database in
            for step in version10 { try database.execute(sql: step) }
        }
        migrator.registerMigration("11") { database in
            for step in version11 { try database.execute(sql: step) }
        }
        return migrator
    }

    /// `FERY`, by which a database is known as a journal.
    static let applicationID: Int64 = 0x4645_5259
    /// Tables that every version has.
    static let firstTables: Set = ["transfers", "transfer_tags", "events", "sessions", "settings"]

    // An index ends in the row's id by itself, so `(phase)` serves `WHERE phase = ? ORDER BY id`.
    private static let version1 = """
        PRAGMA application_id = 0x46455259;

        CREATE TABLE transfers (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            session TEXT NOT NULL,
            phase INTEGER NOT NULL,
            intent TEXT NOT NULL,
            priority TEXT NOT NULL,
            origin TEXT NOT NULL,
            destination TEXT,
            created_at INTEGER NOT NULL,
            finished_at INTEGER,
            retry_at INTEGER,
            attempts INTEGER NOT NULL,
            has_partial INTEGER NOT NULL,
            request TEXT NOT NULL,
            credentials TEXT,
            facts TEXT NOT NULL,
            failures TEXT NOT NULL,
            retry TEXT,
            outcome TEXT
        ) STRICT;
        CREATE INDEX transfers_phase ON transfers (phase);
        CREATE INDEX transfers_session ON transfers (session);
        CREATE INDEX transfers_session_phase ON transfers (session, phase);
        CREATE UNIQUE INDEX transfers_destination ON transfers (destination) WHERE destination IS NOT NULL AND phase < 3;
        CREATE INDEX transfers_placed ON transfers (destination) WHERE phase = 3;
        CREATE INDEX transfers_cleanup ON transfers (phase) WHERE has_partial = 1 AND phase >= 2;

        CREATE TABLE transfer_tags (
            tag TEXT NOT NULL,
            id INTEGER NOT NULL REFERENCES transfers (id) ON DELETE CASCADE,
            PRIMARY KEY (tag, id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX transfer_tags_id ON transfer_tags (id);

        CREATE TABLE events (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            session TEXT NOT NULL,
            id INTEGER NOT NULL,
            kind TEXT NOT NULL,
            at INTEGER NOT NULL,
            snapshot TEXT
        ) STRICT;
        CREATE INDEX events_session ON events (session);

        CREATE TABLE sessions (name TEXT PRIMARY KEY NOT NULL, settings TEXT NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE settings (name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
        """

    /// Whose secrets are still there is found by index.
    ///
    /// A step that read a million requests would hold up the start by half a minute. What the requests of transfers that have
    /// ended still say is found out, and forgotten, while the service is open.
    private static let version8 = [
        "ALTER TABLE transfers ADD COLUMN secrets INTEGER",
        "CREATE INDEX transfers_secrets ON transfers (phase) WHERE secrets IS NOT 0",
    ]
}
