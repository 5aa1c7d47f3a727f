// Ferry: FerryStore
// The journal's sixth version: whose time is over is found by index.

extension JournalSchema {
    /// The steps of the sixth version, in order.
    ///
    /// What is bounded by a moment alone waits in a line as others do.
    static let version6 = [
        "ALTER TABLE transfers ADD COLUMN due INTEGER",
        """
        UPDATE transfers SET due = (
            SELECT coalesce(min(deadline, ending), deadline, ending) FROM (
                SELECT CAST(json_extract(request, '$.deadline') AS INTEGER) AS deadline,
                    CAST(CASE WHEN json_valid(active) THEN json_extract(active, '$.start.wall')
                    + (json_extract(request, '$.resource_timeout') - json_extract(active, '$.spent')) * 1000 END
                    AS INTEGER) AS ending
                FROM requests WHERE requests.id = transfers.id AND json_valid(request)
            )
        ) WHERE phase = 0
        """,
        """
        UPDATE transfers SET line = '' WHERE phase < 2 AND line IS NULL AND retry IS NULL AND json_valid(facts) \
        AND json_extract(facts, '$.starts_after_relaunch') IS NULL AND EXISTS (
            SELECT 1 FROM requests WHERE requests.id = transfers.id AND json_valid(request)
            AND json_extract(request, '$.network') IS NULL AND json_extract(request, '$.not_before') IS NULL
        )
        """,
        "CREATE INDEX transfers_due ON transfers (due) WHERE phase = 0 AND due IS NOT NULL",
    ]
}
