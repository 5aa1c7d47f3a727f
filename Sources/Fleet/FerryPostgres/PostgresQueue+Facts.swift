package import FerryCore

/// Facts about the database, for `ferry fleet doctor`.
package struct DatabaseFacts: Hashable, Sendable {
    package var version: String
    package var schema: Int
    package var role: String
    /// `max_connections`.
    package var connections: Int
    /// Age in seconds of the oldest open transaction that the role may see.
    package var oldestTransaction: Double?
    package var isAutovacuumOn: Bool
    package var hasSynchronousStandby: Bool
    /// Numbers of rows that the next vacuum removes, by table.
    package var deadRows: [String: Int]

    package init(
        version: String, schema: Int, role: String, connections: Int, oldestTransaction: Double?, isAutovacuumOn: Bool,
        hasSynchronousStandby: Bool, deadRows: [String: Int] = [:]
    ) {
        self.version = version
        self.schema = schema
        self.role = role
        self.connections = connections
        self.oldestTransaction = oldestTransaction
        self.isAutovacuumOn = isAutovacuumOn
        self.hasSynchronousStandby = hasSynchronousStandby
        self.deadRows = deadRows
    }
}

extension PostgresQueue {
    package func facts() async throws(ServiceError) -> DatabaseFacts {
        let row = try read(
            """
            SELECT current_setting('server_version'), session_user, current_setting('max_connections'),
              (SELECT extract(epoch FROM max(clock_timestamp() - xact_start)) FROM pg_stat_activity
                WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()),
              current_setting('autovacuum'), current_setting('synchronous_standby_names'),
              (SELECT version FROM ferry.schema_version()),
              (SELECT coalesce(json_object_agg(relname, n_dead_tup), '{}') FROM pg_stat_user_tables
                WHERE schemaname = 'ferry' AND relname IN ('jobs', 'requests', 'leases', 'lines', 'origins', 'workers'))
            """)
        return DatabaseFacts(
            version: try row.value(0) { $0 }, schema: try row.value(6) { Int($0) }, role: try row.value(1) { $0 },
            connections: try row.value(2) { Int($0) }, oldestTransaction: row[3].flatMap(Double.init),
            isAutovacuumOn: try row.value(4) { $0 == "on" }, hasSynchronousStandby: try row.value(5) { !$0.isEmpty },
            deadRows: try row.value(7) { try? Self.decode($0) })
    }
}
