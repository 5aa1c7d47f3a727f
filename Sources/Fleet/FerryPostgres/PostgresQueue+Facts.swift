package import FerryCore

/// Facts about the database, for `ferry fleet doctor`.
package struct DatabaseFacts: Hashable, Sendable {
    package var version: String
    package var schema: Int
    package var role: String
    /// `max_connections`.
    package var connections: Int
    /// The oldest open or prepared transaction that the role may see.
    package var oldestTransaction: OpenTransaction?
    package var isAutovacuumOn: Bool
    /// `synchronous_standby_names`.
    package var synchronousStandbys: String
    /// Number of standbys that are connected.
    package var connectedStandbys: Int
    /// Numbers of rows that the next vacuum removes, by table.
    package var deadRows: [String: Int]

    package struct OpenTransaction: Hashable, Codable, Sendable {
        /// Seconds.
        package var age: Double
        /// Its process and program, or its name if it is prepared.
        package var name: String
        /// The SQL that ends it.
        package var end: String

        package init(age: Double, name: String, end: String) {
            (self.age, self.name, self.end) = (age, name, end)
        }
    }

    package init(
        version: String, schema: Int, role: String, connections: Int, oldestTransaction: OpenTransaction?,
        isAutovacuumOn: Bool,
        synchronousStandbys: String, connectedStandbys: Int, deadRows: [String: Int] = [:]
    ) {
        self.version = version
        self.schema = schema
        self.role = role
        self.connections = connections
        self.oldestTransaction = oldestTransaction
        self.isAutovacuumOn = isAutovacuumOn
        self.synchronousStandbys = synchronousStandbys
        self.connectedStandbys = connectedStandbys
        self.deadRows = deadRows
    }
}

extension PostgresQueue {
    package func facts() async throws(ServiceError) -> DatabaseFacts {
        let row = try read(
            """
            SELECT current_setting('server_version'), session_user, current_setting('max_connections'),
              (SELECT json_build_object('age', extract(epoch FROM clock_timestamp() - t.since), 'name', t.name, 'end', t.ending) FROM (
                SELECT xact_start AS since, format('process %s, %s, of %s', pid, coalesce(nullif(application_name, ''), 'a program'), usename)
                  AS name, format('SELECT pg_terminate_backend(%s)', pid) AS ending
                FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND datname = current_database()
                  AND (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL)
                UNION ALL SELECT prepared, format('the prepared transaction %L of %s', gid, owner), format('ROLLBACK PREPARED %L', gid)
                FROM pg_prepared_xacts WHERE database = current_database()) AS t ORDER BY t.since LIMIT 1),
              CASE current_setting('track_counts') WHEN 'on' THEN current_setting('autovacuum') END, current_setting('synchronous_standby_names'),
              (SELECT version FROM ferry.schema_version()),
              (SELECT coalesce(json_object_agg(relname, n_dead_tup), '{}') FROM pg_stat_user_tables
                WHERE schemaname = 'ferry' AND relname IN ('jobs', 'requests', 'leases', 'lines', 'origins', 'workers')),
              (SELECT count(*) FROM pg_stat_replication)
            """)
        return DatabaseFacts(
            version: try row.value(0) { $0 }, schema: try row.value(6) { Int($0) }, role: try row.value(1) { $0 },
            connections: try row.value(2) { Int($0) },
            oldestTransaction: try row[3].map { (text) throws(ServiceError) in try Self.decode(text) },
            isAutovacuumOn: row[4] == "on", synchronousStandbys: try row.value(5) { $0 },
            connectedStandbys: try row.value(8) { Int($0) },
            deadRows: try row.value(7) { try? Self.decode($0) })
    }
}
