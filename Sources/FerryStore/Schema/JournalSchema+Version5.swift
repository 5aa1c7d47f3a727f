// Ferry: FerryStore
// The journal's fifth version: what never changes of a transfer stands apart.

extension JournalSchema {
    /// The steps of the fifth version, in order.
    ///
    /// Every change writes its whole row, and most of a row is the request. An index that names the phase is written with
    /// each change of it: paths have indexes that do not, as no path is in `destination` that is not reserved.
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
