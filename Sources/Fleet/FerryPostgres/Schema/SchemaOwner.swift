import FerryCore

/// The owner of the schema `ferry`. Another program may use that name.
enum SchemaOwner {
    /// Checks that the schema is a fleet's, or missing.
    ///
    /// - Throws: ``PostgresFailure`` with an error for the caller, if it is another program's.
    static func check(_ connection: PostgresConnection) throws(PostgresFailure) {
        let row = try connection.transaction(question, within: PostgresQueue.patience).rows.first
        guard let owner = row?[0], row?[1] == "f", owner != Role.owner.rawValue else { return }
        throw PostgresFailure(
            ServiceError(
                .queueUnsuitable,
                "The schema ferry in this database is of the role \(owner.escapingControls), and not a fleet's. Use another database."
            ))
    }

    /// A fleet's schema contains this function. The owner may be another role after a dump was restored.
    private static let question = """
        SELECT pg_get_userbyid(n.nspowner), EXISTS (SELECT 1 FROM pg_proc p
            WHERE p.pronamespace = n.oid AND p.proname = 'schema_version')
          FROM pg_namespace n WHERE n.nspname = 'ferry'
        """
}
