extension JournalSchema {
    /// The steps of the ninth version: what decisions depend on has columns of its own.
    ///
    /// A step that wrote a million rows would hold up the start by half a minute. Rows of earlier versions have revision 0 and
    /// none of these columns; the first change of such a row writes all of them, as does the service once it is open, some
    /// at a time: a setting says that it has not done so.
    static let version9 =
        [
            "revision INTEGER NOT NULL DEFAULT 0", "ended INTEGER", "former TEXT", "network TEXT", "retry_delay REAL",
            "retry_reason TEXT", "not_before INTEGER", "deadline INTEGER", "resource_timeout REAL",
            "starts_late INTEGER", "restarts INTEGER", "spooled INTEGER", "secrets_forgotten INTEGER",
            "active_spent REAL", "active_at INTEGER", "active_boot TEXT", "active_uptime REAL",
        ].map { "ALTER TABLE transfers ADD COLUMN \($0)" } + [
            "INSERT INTO settings (name, value) SELECT '\(oldRows)', 'true' WHERE EXISTS (SELECT 1 FROM transfers)"
        ]

    /// The setting of a journal that may have rows of earlier versions.
    static let oldRows = "old_rows"
}
