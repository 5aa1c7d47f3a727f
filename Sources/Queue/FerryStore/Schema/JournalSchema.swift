import GRDB

/// The tables of the journal; `docs/formats/journal.md` describes them.
enum JournalSchema {
    /// Seconds that a statement waits for a lock held by another process, such as a backup.
    static let busyTimeout = 10.0

    /// Pragmas of the writing connection. GRDB sets `NORMAL` with WAL, but an acknowledged commit must survive a power
    /// cut. With a smaller cache, a transaction that changes thousands of transfers writes its pages several times.
    /// Deleted content is overwritten where that writes no additional pages. Some builds of SQLite write additional
    /// pages as well.
    static let usualPages = """
        PRAGMA synchronous = FULL; PRAGMA cache_size = -32768; PRAGMA wal_autocheckpoint = 1000; \
        \(eraseCheaply)
        """

    static let eraseCheaply = "PRAGMA secure_delete = FAST"
    /// Pragma while secrets are deleted.
    static let eraseEverything = "PRAGMA secure_delete = ON"

    /// Pragma while so many pages change that callers would wait for the checkpoint.
    static let laterCheckpoint = "PRAGMA wal_autocheckpoint = 0"

    /// Pragmas while more pages are added than memory should hold.
    static let manyPages = "PRAGMA cache_size = -8192; PRAGMA wal_autocheckpoint = 0"

    static var configuration: Configuration {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(busyTimeout)
        configuration.maximumReaderCount = 4
        configuration.label = "ferry.journal"
        return configuration
    }

    /// Configuration of a journal file. Free pages can be released incrementally, which must be set before the first
    /// table is created.
    static var fileConfiguration: Configuration {
        var configuration = configuration
        configuration.prepareDatabase { database in
            // A file with pages has its format. Setting it again would write at each start.
            guard !database.configuration.readonly, try Int.fetchOne(database, sql: "PRAGMA page_count") == 0 else {
                return
            }
            try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
        }
        return configuration
    }

    /// The steps of all versions. A released step never changes. A new version adds one.
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
        // Some journals have this name. It needs no step.
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

    /// `FERY`, the application id of a journal.
    static let applicationID: Int64 = 0x4645_5259
    /// Tables that exist in every version.
    static let firstTables: Set = ["transfers", "transfer_tags", "events", "sessions", "settings"]

    // Every index entry ends with the row's id, so `(phase)` serves `WHERE phase = ? ORDER BY id`.
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

    /// The steps of the eighth version: transfers with secrets are found by index.
    ///
    /// A step that read a million requests would delay the start by half a minute. The open service finds and deletes
    /// the secrets of finished transfers instead.
    private static let version8 = [
        "ALTER TABLE transfers ADD COLUMN secrets INTEGER",
        "CREATE INDEX transfers_secrets ON transfers (phase) WHERE secrets IS NOT 0",
    ]
}
