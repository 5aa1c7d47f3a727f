/// The settings of the transactions in which Ferry's calls run, whatever the server, database, role and environment say.
///
/// They are those with which values are read and written, and on which the functions of the schema `ferry` rely. Nothing of
/// the session is changed.
enum TransactionSettings {
    /// A function that waits for a lock must see what the holder has committed. A role's sessions may be read-only.
    static let begin = "BEGIN ISOLATION LEVEL READ COMMITTED, READ WRITE"

    /// Sets the settings of the transaction that has begun, where they differ.
    ///
    /// The client gives up first. The limits of time are for a server that does not learn of that.
    static let statement = set(values, limit: "\(Int(PostgresQueue.patience) + 5)s")

    /// The same without limits of time, for a migration.
    static let script = set(values, limit: "0") + ";"

    /// Values by name (PostgreSQL documentation, chapter 20).
    private static let values = [
        ("search_path", "pg_catalog, pg_temp"), ("TimeZone", "UTC"), ("DateStyle", "ISO, MDY"),
        ("IntervalStyle", "postgres"), ("extra_float_digits", "1"), ("array_nulls", "on"),
        ("standard_conforming_strings", "on"), ("transform_null_equals", "off"), ("exit_on_error", "off"),
        ("default_tablespace", ""), ("default_table_access_method", "heap"),
        ("transaction_timeout", "0"), (durability, "local"),
    ]

    /// Only `off` is replaced: with it, a job whose number was returned is lost when the server's machine stops.
    private static let durability = "synchronous_commit"

    private static let limits = ["statement_timeout", "idle_in_transaction_session_timeout"]

    private static func set(_ values: [(name: String, value: String)], limit: String) -> String {
        let settings = values + limits.map { ($0, limit) }
        let rows = settings.map { "('\($0.name)', '\($0.value)')" }.joined(separator: ", ")
        let current = "pg_catalog.current_setting(s.name, true)"
        // A server of an older version does not know every setting, and then its value is null.
        return """
            SELECT pg_catalog.set_config(s.name, s.value, true) FROM (VALUES \(rows)) AS s(name, value)
              WHERE \(current) OPERATOR(pg_catalog.<>) s.value
                AND (s.name OPERATOR(pg_catalog.<>) '\(durability)' OR \(current) OPERATOR(pg_catalog.=) 'off')
            """
    }
}
