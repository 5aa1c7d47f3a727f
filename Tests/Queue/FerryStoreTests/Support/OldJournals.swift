/// Statements that turn a journal's tables back into an earlier version's.
enum OldJournals {
    /// Without indexes for the parts of the queue.
    static let version10 = [
        "DROP INDEX transfers_ended", "DROP INDEX transfers_unusual",
        "DELETE FROM grdb_migrations WHERE identifier = '11'",
    ]

    /// With complete requests only.
    static let version9 =
        version10 + [
            "ALTER TABLE requests DROP COLUMN template", "DROP TABLE request_templates",
            "DELETE FROM grdb_migrations WHERE identifier = '10'",
        ]

    /// Without columns for the values that decisions depend on.
    static let version8 =
        version9 + [
            """
            UPDATE transfers SET active = iif(active_at IS NULL, json_object('spent', active_spent), \
            json_object('spent', active_spent, 'start', \
            json_object('wall', active_at, 'boot', active_boot, 'uptime', active_uptime))) WHERE active_spent IS NOT NULL
            """
        ]
        + [
            "revision", "ended", "former", "network", "retry_delay", "retry_reason", "not_before", "deadline",
            "resource_timeout", "starts_late", "restarts", "spooled", "secrets_forgotten", "active_spent", "active_at",
            "active_boot", "active_uptime",
        ].map { "ALTER TABLE transfers DROP COLUMN \($0)" }
        + [
            "DELETE FROM settings WHERE name = 'old_rows'", "DELETE FROM grdb_migrations WHERE identifier = '9'",
        ]

    static let version7 =
        version8 + [
            "DROP INDEX transfers_secrets", "ALTER TABLE transfers DROP COLUMN secrets",
            "DELETE FROM grdb_migrations WHERE identifier = '8'",
        ]

    static let version5 =
        version7 + [
            "DROP INDEX transfers_due", "ALTER TABLE transfers DROP COLUMN due",
            "UPDATE transfers SET line = NULL", "DELETE FROM grdb_migrations WHERE identifier IN ('6', '7')",
        ]

    /// Reverts the version that moved requests to a table of their own.
    private static let beforeVersion5 = [
        "ALTER TABLE transfers ADD COLUMN request TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE transfers ADD COLUMN credentials TEXT", "DROP INDEX transfers_destination",
        "DROP INDEX transfers_placed",
        """
        UPDATE transfers SET (request, credentials) = \
        (SELECT request, credentials FROM requests WHERE requests.id = transfers.id), \
        destination = ifnull(destination, placed)
        """,
        "ALTER TABLE transfers DROP COLUMN placed", "DROP TABLE requests",
        """
        CREATE UNIQUE INDEX transfers_destination ON transfers (destination) WHERE destination IS NOT NULL AND phase < 3
        """,
        "CREATE INDEX transfers_placed ON transfers (destination) WHERE phase = 3",
    ]

    static let version1 =
        version5 + beforeVersion5 + [
            "ALTER TABLE transfers DROP COLUMN active", "ALTER TABLE sessions DROP COLUMN last_task",
            "ALTER TABLE sessions DROP COLUMN cookies", "DROP TABLE applications", "DROP TABLE registrations",
            "ALTER TABLE sessions DROP COLUMN transfer_order", "DROP INDEX transfers_line",
            "DROP INDEX transfers_timed", "ALTER TABLE transfers DROP COLUMN line",
            "DELETE FROM grdb_migrations WHERE identifier IN ('2', '3', '4', '5')",
        ]
}
