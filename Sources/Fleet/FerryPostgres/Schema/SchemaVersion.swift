import FerryCore

/// The version of a database's schema.
struct SchemaVersion {
    var number: Int
    /// The oldest release that works with it, by its own version.
    var compatible: Int

    /// Reads it. `nil` if the schema is empty.
    ///
    /// - Throws: ``PostgresFailure``, for a database without the schema too.
    init?(_ connection: PostgresConnection) throws(PostgresFailure) {
        let row = try connection.rows(
            "SELECT version, compatible FROM ferry.schema_version()", within: PostgresQueue.patience
        ).rows.first
        guard let row, let number = row[0].flatMap(Int.init), let compatible = row[1].flatMap(Int.init) else {
            return nil
        }
        (self.number, self.compatible) = (number, compatible)
    }

    /// Throws if the schema is too new for this release.
    func requireKnown() throws(PostgresFailure) {
        guard compatible > Schema.version else { return }
        throw PostgresFailure(
            ServiceError(
                .queueUnsuitable,
                "The database's Ferry schema has version \(number), which is newer than this release. Upgrade ferry-fleet."
            ))
    }

    /// Throws if this release cannot use the schema.
    func requireUsable() throws(PostgresFailure) {
        try requireKnown()
        guard number < Schema.version else { return }
        throw PostgresFailure(
            ServiceError(
                .queueUnsuitable,
                "The database's Ferry schema has version \(number), and this release needs \(Schema.version). Run `ferry fleet migrate`."
            ))
    }
}
