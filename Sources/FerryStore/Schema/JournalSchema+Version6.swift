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
