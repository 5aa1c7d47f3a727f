/// The settings of the transactions in which Ferry's calls run, whatever the server, database, role and environment say.
///
/// They are those with which values are read and written, and on which the functions of the schema `ferry` rely. Nothing of
/// the session is changed.
enum TransactionSettings {
    /// A function that waits for a lock must see what the holder has committed. A role's sessions may be read-only.
    static let begin = "BEGIN ISOLATION LEVEL READ COMMITTED, READ WRITE"

    /// Sets the settings of the transaction that has begun.
    static let statement = "SELECT " + calls(values + limits)

    /// The same without limits of time, for a migration.
    static let script = "SELECT " + calls(values) + ";"

    /// The documentation of PostgreSQL, chapter 20.
    private static let values = [
        ("search_path", "pg_catalog, pg_temp"), ("TimeZone", "UTC"), ("DateStyle", "ISO, MDY"),
        ("IntervalStyle", "postgres"),
        ("extra_float_digits", "1"), ("array_nulls", "on"), ("standard_conforming_strings", "on"),
        ("transform_null_equals", "off"), ("exit_on_error", "off"),
    ]

    /// The client gives up first. This is for a server that does not learn of that.
    private static let limits = [("statement_timeout", "\(Int(PostgresQueue.patience) + 5)s")]

    private static func calls(_ settings: [(name: String, value: String)]) -> String {
        let calls = settings.map { "pg_catalog.set_config('\($0.name)', '\($0.value)', true)" }
        return (calls + [durability]).joined(separator: ", ")
    }

    /// Makes a transaction durable on this server at least before it is answered.
    private static let durability = """
        pg_catalog.set_config('synchronous_commit', CASE pg_catalog.current_setting('synchronous_commit') \
        WHEN 'off' THEN 'local' ELSE pg_catalog.current_setting('synchronous_commit') END, true)
        """
}
