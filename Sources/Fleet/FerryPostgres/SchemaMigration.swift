package import FerryCore

/// Creates the schema `ferry` and brings it up to date.
package enum SchemaMigration {
    /// The result of a migration.
    package struct Report: Hashable, Sendable {
        /// The version before, or `nil` if there was no schema.
        package var before: Int?
        package var after: Int
    }

    /// Creates roles and schema where they are missing, then migrates.
    ///
    /// - Throws: ``ServiceError`` with code `queue_unreachable` or `queue_unsuitable`. A migration is one transaction: a
    ///   failed one changed nothing.
    package static func initialize(_ address: DatabaseAddress) throws(ServiceError) -> Report {
        let connection = try PostgresConnection(address)
        try checkOwner(connection)
        try makeRoles(connection)
        return try migrate(connection)
    }

    /// Performs the missing steps, and creates the roles that they need.
    package static func migrate(_ address: DatabaseAddress) throws(ServiceError) -> Report {
        let connection = try PostgresConnection(address)
        try checkOwner(connection)
        let names = Role.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        let count: String?
        do {
            count = try connection.rows("SELECT count(*) FROM pg_roles WHERE rolname IN (\(names))").single
        } catch {
            throw error.error
        }
        if count != String(Role.allCases.count) { try makeRoles(connection) }
        return try migrate(connection)
    }

    private static func checkOwner(_ connection: PostgresConnection) throws(ServiceError) {
        do { try SchemaOwner.check(connection) } catch { throw error.error }
    }

    private static func makeRoles(_ connection: PostgresConnection) throws(ServiceError) {
        do {
            try connection.run(TransactionSettings.begin + ";" + TransactionSettings.script + Schema.roles + "COMMIT")
        } catch {
            guard error.state == "42501" else { throw error.error }
            let roles = Role.allCases.map(\.rawValue).joined(separator: ", ")
            throw ServiceError(
                .queueUnsuitable,
                "This role may not make the fleet's roles and its schema: \(error.message). Run init as the owner of the database, with CREATEROLE. If the roles exist already, whoever made them types first: GRANT \(roles) TO \(connection.user.escapingControls)."
            )
        }
    }

    private static func migrate(_ connection: PostgresConnection) throws(ServiceError) -> Report {
        do {
            let schema = try version(connection)
            try schema?.requireKnown()
            let before = schema?.number
            guard before.map({ $0 < Schema.version }) ?? true else {
                return Report(before: before, after: before ?? Schema.version)
            }
            // One migration at a time. One that cannot get its locks fails instead of holding up the queue.
            try connection.run(
                """
                \(TransactionSettings.begin);
                SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('ferry.migrate'));
                \(TransactionSettings.script)
                SET LOCAL lock_timeout = '5s';
                SET LOCAL ROLE ferry_owner;
                SET LOCAL search_path = ferry, pg_temp
                """)
            // Another process may have performed some steps meanwhile.
            var current = try version(connection)?.number ?? 0
            if current < Schema.version {
                while let step = Schema.step(current + 1) {
                    try connection.run(step)
                    current += 1
                }
                try connection.run(Schema.functions)
                try connection.run("SELECT upkeep_days()")
            }
            try connection.run("COMMIT")
            return Report(before: before, after: Schema.version)
        } catch {
            try? connection.run("ROLLBACK")
            throw error.error
        }
    }

    private static func version(_ connection: PostgresConnection) throws(PostgresFailure) -> SchemaVersion? {
        guard try connection.rows("SELECT to_regclass('ferry.meta')::text").single != nil else { return nil }
        return try SchemaVersion(connection)
    }
}
