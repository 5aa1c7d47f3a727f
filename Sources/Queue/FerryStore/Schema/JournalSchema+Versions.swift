/// The journal's second version: sessions that outlive their apps.
extension JournalSchema {
    /// The steps of the second version, in order.
    static let version2 = [version2Sessions, version2Applications]

    private static let version2Sessions = """
        ALTER TABLE transfers ADD COLUMN active TEXT;
        ALTER TABLE sessions ADD COLUMN last_task INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE sessions ADD COLUMN cookies TEXT;
        """
}

/// The journal's third version: the order of a session's transfers.
extension JournalSchema {
    /// Eight bytes per transfer, most significant byte first, in scheduling order.
    static let version3 = "ALTER TABLE sessions ADD COLUMN transfer_order BLOB;"
}

/// The journal's tables of apps and their sessions.
extension JournalSchema {
    static let version2Applications = """
        CREATE TABLE applications (name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE registrations (session TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
        """
}

/// The journal's fourth version: waiting transfers are found by index.
extension JournalSchema {
    /// The steps of the fourth version, in order.
    ///
    /// A row with a date, a retry or unreadable JSON gets no `line`. Each start reads these rows one by one.
    static let version4 = [
        "ALTER TABLE transfers ADD COLUMN line TEXT",
        """
        UPDATE transfers SET line = '' WHERE phase < 2 AND retry IS NULL \
        AND CASE WHEN json_valid(request) AND json_valid(facts) THEN
            json_extract(request, '$.network') IS NULL AND json_extract(request, '$.not_before') IS NULL \
            AND json_extract(request, '$.deadline') IS NULL AND json_extract(request, '$.resource_timeout') IS NULL \
            AND json_extract(facts, '$.starts_after_relaunch') IS NULL
        END
        """,
        """
        CREATE INDEX transfers_line ON transfers (session, priority, origin, line) WHERE phase = 0 AND line IS NOT NULL
        """,
        "CREATE INDEX transfers_timed ON transfers (phase) WHERE phase = 0 AND line IS NULL",
    ]
}

/// The journal's fifth version: the immutable part of a transfer has its own table.
extension JournalSchema {
    /// The steps of the fifth version, in order.
    ///
    /// Every update writes its whole row, and most of a row is the request. An index that names the phase is written
    /// with each change of the phase. The indexes of paths do not name it, because `destination` holds only reserved
    /// paths.
    static let version5 = [
        "ALTER TABLE transfers ADD COLUMN placed TEXT",
        "DROP INDEX transfers_destination",
        "DROP INDEX transfers_placed",
        "UPDATE transfers SET placed = destination WHERE phase = 3",
        "UPDATE transfers SET destination = NULL WHERE phase > 2 OR outcome IS NOT NULL",
        "CREATE UNIQUE INDEX transfers_destination ON transfers (destination) WHERE destination IS NOT NULL",
        "CREATE INDEX transfers_placed ON transfers (placed) WHERE placed IS NOT NULL",
        """
        CREATE TABLE requests (
            id INTEGER PRIMARY KEY,
            request TEXT NOT NULL,
            credentials TEXT
        ) STRICT
        """,
        "INSERT INTO requests (id, request, credentials) SELECT id, request, credentials FROM transfers ORDER BY id",
        "ALTER TABLE transfers DROP COLUMN request",
        "ALTER TABLE transfers DROP COLUMN credentials",
    ]
}

/// The journal's sixth version: expired transfers are found by index.
extension JournalSchema {
    /// The steps of the sixth version, in order.
    ///
    /// A transfer with only a deadline is queued like any other.
    static let version6 = [
        "ALTER TABLE transfers ADD COLUMN due INTEGER",
        """
        UPDATE transfers SET due = (
            SELECT coalesce(min(deadline, ending), deadline, ending) FROM (
                SELECT CAST(\(JournalJSON.extract("deadline", from: "request")) AS INTEGER) AS deadline,
                    CAST(CASE WHEN json_valid(active) AND json_valid(request) THEN json_extract(active, '$.start.wall')
                    + (json_extract(request, '$.resource_timeout') - json_extract(active, '$.spent')) * 1000 END
                    AS INTEGER) AS ending
                FROM requests WHERE requests.id = transfers.id
            )
        ) WHERE phase = 0
        """,
        """
        UPDATE transfers SET line = '' WHERE phase < 2 AND line IS NULL AND retry IS NULL \
        AND CASE WHEN json_valid(facts) THEN json_extract(facts, '$.starts_after_relaunch') IS NULL END AND EXISTS (
            SELECT 1 FROM requests WHERE requests.id = transfers.id AND CASE WHEN json_valid(request) THEN
                json_extract(request, '$.network') IS NULL AND json_extract(request, '$.not_before') IS NULL
            END
        )
        """,
        "CREATE INDEX transfers_due ON transfers (due) WHERE phase = 0 AND due IS NOT NULL",
    ]
}

extension JournalSchema {
    /// The steps of the ninth version: the values that decisions depend on have their own columns.
    ///
    /// A step that wrote a million rows would delay the start by half a minute. Rows of earlier versions have revision
    /// 0 and none of these columns. The first change of such a row writes all of them. Once open, the service also
    /// completes these rows in batches. The setting ``oldRows`` exists until it is done.
    static let version9 =
        [
            "revision INTEGER NOT NULL DEFAULT 0", "ended INTEGER", "former TEXT", "network TEXT", "retry_delay REAL",
            "retry_reason TEXT", "not_before INTEGER", "deadline INTEGER", "resource_timeout REAL",
            "starts_late INTEGER", "restarts INTEGER", "spooled INTEGER", "secrets_forgotten INTEGER",
            "active_spent REAL", "active_at INTEGER", "active_boot TEXT", "active_uptime REAL",
        ].map { "ALTER TABLE transfers ADD COLUMN \($0)" } + [
            "INSERT INTO settings (name, value) SELECT '\(oldRows)', 'true' WHERE EXISTS (SELECT 1 FROM transfers)"
        ]

    /// The setting of a journal that may contain rows of earlier versions.
    static let oldRows = "old_rows"
}

/// The journal's tenth version: the shared part of a list's requests is stored once.
extension JournalSchema {
    /// The steps of the tenth version, in order.
    ///
    /// A request with a template stores only the JSON text of its URL, which belongs between the template's head and
    /// tail. The template's transfers have ids from `first` to `last`.
    static let version10 = [
        """
        CREATE TABLE request_templates (
            template INTEGER PRIMARY KEY,
            head TEXT NOT NULL,
            tail TEXT NOT NULL,
            first INTEGER NOT NULL,
            last INTEGER NOT NULL
        ) STRICT
        """,
        "ALTER TABLE requests ADD COLUMN template INTEGER",
    ]
}

/// The journal's eleventh version: the parts of the queue are read by index, in order.
extension JournalSchema {
    /// The steps of the eleventh version, in order.
    ///
    /// Transfers that finished at the same moment are ordered by id, with which every index entry ends. Nearly all
    /// transfers have the normal priority, so the second index costs them nothing.
    static let version11 = [
        "CREATE INDEX transfers_ended ON transfers (session, finished_at) WHERE phase > 2",
        """
        CREATE INDEX transfers_unusual ON transfers (session, priority) \
        WHERE phase < 2 AND priority <> 'normal'
        """,
    ]
}
