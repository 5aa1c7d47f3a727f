// Ferry: FerryStore
// The journal's fourth version: what waits is found by index.

extension JournalSchema {
    /// The steps of the fourth version, in order.
    ///
    /// Where something is due at a moment, or cannot be read, a row has no line: each start looks at it.
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
