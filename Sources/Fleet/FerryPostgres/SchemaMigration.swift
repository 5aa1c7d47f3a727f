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
    /// - Parameter onDelay: Called with a sentence if the database takes longer than two seconds.
    /// - Throws: ``ServiceError`` with code `queue_unreachable` or `queue_unsuitable`. A migration is one transaction: a
    ///   failed one changed nothing.
    package static func initialize(
        _ address: DatabaseAddress, onDelay: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(ServiceError) -> Report {
        try reporting(address, onDelay) { connection throws(ServiceError) in
            try makeRoles(connection)
            return try migrate(connection)
        }
    }

    /// Performs the missing steps, and creates the roles that they need.
    ///
    /// - Parameter onDelay: Called with a sentence if the database takes longer than two seconds.
    /// - Throws: ``ServiceError``, as ``initialize(_:onDelay:)`` does.
    package static func migrate(
        _ address: DatabaseAddress, onDelay: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(ServiceError) -> Report {
        try reporting(address, onDelay) { connection throws(ServiceError) in
            try makeMissingRoles(connection)
            return try migrate(connection)
        }
    }

    private static func reporting(
        _ address: DatabaseAddress, _ onDelay: @escaping @Sendable (String) -> Void,
        _ body: (PostgresConnection) throws(ServiceError) -> Report
    ) throws(ServiceError) -> Report {
        let delays = DelayReporter(address, onDelay)
        delays.begin()
        defer { delays.end() }
        let connection = try PostgresConnection(address)
        delays.isPerformed(by: connection.process)
        do { try SchemaOwner.check(connection) } catch { throw error.error }
        return try body(connection)
    }

    private static func makeMissingRoles(_ connection: PostgresConnection) throws(ServiceError) {
        let names = Role.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        let count: String?
        do {
            count = try connection.transaction("SELECT count(*) FROM pg_roles WHERE rolname IN (\(names))").single
        } catch {
            throw error.error
        }
        if count != String(Role.allCases.count) { try makeRoles(connection) }
    }

    private static func makeRoles(_ connection: PostgresConnection) throws(ServiceError) {
        do {
            try connection.run(TransactionSettings.begin + ";" + TransactionSettings.script + Schema.roles + "COMMIT")
        } catch {
            guard error.state == "42501" else { throw error.error }
            let roles = Role.allCases.map(\.rawValue).joined(separator: ", ")
            throw ServiceError(
                .queueUnsuitable,
                "This role may not make the fleet's roles and its schema: \(error.message). Run init as the owner of the database, with CREATEROLE. If the roles already exist, the role that created them must first run: GRANT \(roles) TO \(connection.user.escapingControls)."
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
            // One migration at a time. One that cannot get the locks of tables fails instead of holding up the queue.
            try connection.run(
                """
                \(TransactionSettings.begin);
                \(TransactionSettings.script)
                SET LOCAL lock_timeout = '60s';
                SELECT pg_advisory_xact_lock(hashtext('ferry.migrate'));
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
        let question = "SELECT pg_catalog.to_regclass('ferry.meta') IS NOT NULL"
        guard try connection.rows(question).single == "t" else { return nil }
        return try SchemaVersion(connection)
    }
}
