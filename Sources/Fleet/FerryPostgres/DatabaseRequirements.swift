import FerryCore

/// Requirements of a database for a fleet's queue.
enum DatabaseRequirements {
    /// Checks the server's version, as libpq numbers it (150018 for 15.18).
    ///
    /// - Throws: ``ServiceError`` with code `queue_unsuitable`.
    static func check(version: Int) throws(ServiceError) {
        guard version < Schema.oldestServer else { return }
        throw ServiceError(
            .queueUnsuitable,
            "The fleet needs PostgreSQL \(Schema.oldestServer / 10_000) or later, and the server is version \(version / 10_000). Upgrade it."
        )
    }

    /// Checks that texts of all languages can be stored: names of files, and answers of servers.
    ///
    /// - Parameter encoding: The database's, or `nil` if a pooler does not tell it.
    /// - Throws: ``ServiceError`` with code `queue_unsuitable`.
    static func check(encoding: String?, database: String) throws(ServiceError) {
        guard let encoding, encoding != "UTF8" else { return }
        let name = database.escapingControls
        let quoted = "\"" + (database.escapingControls + "_utf8").replacing("\"", with: "\"\"") + "\""
        throw ServiceError(
            .queueUnsuitable,
            "The encoding of the database \(name) is \(encoding.escapingControls), and the fleet needs UTF8. Use another database, as made by: CREATE DATABASE \(quoted) ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0"
        )
    }
}
