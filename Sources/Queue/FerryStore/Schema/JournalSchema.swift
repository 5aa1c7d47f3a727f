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
        migrator.registerMigration(versions[0]) { try $0.execute(sql: tables) }
        return migrator
    }

    /// Names of the versions, oldest first.
    static let versions = ["version 1"]

    /// Names that builds before the first version gave to theirs. They cannot be migrated.
    static let unsupported = Set((1...11).map(String.init))

    /// `FERY`, the application id of a journal.
    static let applicationID: Int64 = 0x4645_5259
    /// Tables that exist in every version.
    static let firstTables: Set = ["transfers", "transfer_tags", "events", "sessions", "settings"]

    // Every index entry ends with the row's id, so `(phase)` serves `WHERE phase = ? ORDER BY id`.
    //
    // Every update of a transfer writes its whole row and the indexes that name a changed column. The request, which is
    // most of a transfer and seldom changes, has its own table. The indexes of paths do not name the phase, because
    // `destination` holds only reserved paths. Nearly all transfers have the normal priority, so `transfers_unusual` costs
    // them nothing.
    private static let tables = """
        PRAGMA application_id = 0x46455259;

        CREATE TABLE transfers (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            session TEXT NOT NULL,
            phase INTEGER NOT NULL,
            intent TEXT NOT NULL,
            ended INTEGER,
            priority TEXT NOT NULL,
            origin TEXT NOT NULL,
            line TEXT,
            network TEXT,
            destination TEXT,
            former TEXT,
            placed TEXT,
            created_at INTEGER NOT NULL,
            finished_at INTEGER,
            due INTEGER,
            retry_at INTEGER,
            retry_delay REAL,
            retry_reason TEXT,
            not_before INTEGER,
            deadline INTEGER,
            resource_timeout REAL,
            starts_late INTEGER,
            active_spent REAL,
            active_at INTEGER,
            active_boot TEXT,
            active_uptime REAL,
            attempts INTEGER NOT NULL,
            restarts INTEGER,
            has_partial INTEGER NOT NULL,
            spooled INTEGER,
            secrets INTEGER,
            secrets_forgotten INTEGER,
            revision INTEGER NOT NULL DEFAULT 1,
            facts TEXT NOT NULL,
            failures TEXT NOT NULL,
            retry TEXT,
            outcome TEXT
        ) STRICT;
        CREATE INDEX transfers_phase ON transfers (phase);
        CREATE INDEX transfers_session ON transfers (session);
        CREATE INDEX transfers_session_phase ON transfers (session, phase);
        CREATE INDEX transfers_line ON transfers (session, priority, origin, line) WHERE phase = 0 AND line IS NOT NULL;
        CREATE INDEX transfers_timed ON transfers (phase) WHERE phase = 0 AND line IS NULL;
        CREATE INDEX transfers_due ON transfers (due) WHERE phase = 0 AND due IS NOT NULL;
        CREATE INDEX transfers_unusual ON transfers (session, priority) WHERE phase < 2 AND priority <> 'normal';
        CREATE INDEX transfers_ended ON transfers (session, finished_at) WHERE phase > 2;
        CREATE INDEX transfers_cleanup ON transfers (phase) WHERE has_partial = 1 AND phase >= 2;
        CREATE INDEX transfers_secrets ON transfers (phase) WHERE secrets IS NOT 0;
        CREATE UNIQUE INDEX transfers_destination ON transfers (destination) WHERE destination IS NOT NULL;
        CREATE INDEX transfers_placed ON transfers (placed) WHERE placed IS NOT NULL;

        CREATE TABLE requests (
            id INTEGER PRIMARY KEY,
            request TEXT NOT NULL,
            credentials TEXT,
            template INTEGER
        ) STRICT;
        CREATE TABLE request_templates (
            template INTEGER PRIMARY KEY,
            head TEXT NOT NULL,
            tail TEXT NOT NULL,
            first INTEGER NOT NULL,
            last INTEGER NOT NULL
        ) STRICT;

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

        CREATE TABLE sessions (
            name TEXT PRIMARY KEY NOT NULL,
            settings TEXT NOT NULL,
            last_task INTEGER NOT NULL DEFAULT 0,
            cookies TEXT,
            transfer_order BLOB
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE settings (name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE applications (name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE registrations (session TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
        """
}
