package import FerryCore
import GRDB

/// Reservations: two live transfers never aim at one path.
extension SQLiteTransaction {
    /// Reserves a path for a live transfer, in place of the one that it holds.
    ///
    /// - Returns: Whether it holds the path afterwards; false if another live transfer does, or if there is no live
    ///   transfer of this id.
    package func claimDestination(_ path: String, for id: TransferID) throws(ServiceError) -> Bool {
        try connection.execute(
            "UPDATE OR IGNORE transfers SET destination = ? WHERE id = ? AND phase < 3", [path, id.column]) == 1
    }

    /// Reserves a path for a live transfer, as ``claimDestination(_:for:)`` does, and records its facts with that.
    ///
    /// - Returns: Whether both was done; nothing has changed if not.
    package func claimDestination(
        _ path: String, for id: TransferID, recording facts: StoredFacts
    ) throws(ServiceError) -> Bool {
        let facts = try FactsColumns(of: facts)
        return try connection.execute(
            """
            UPDATE OR IGNORE transfers SET destination = ?, facts = ?, has_partial = ?, restarts = ? \
            WHERE id = ? AND phase < 3
            """,
            [path, facts.text, facts.leavesWork, facts.restarts, id.column]) == 1
    }

    /// Runs a write that may reserve a path, and says so if that is why it does not fit.
    func reserving<Value>(
        _ path: String?, for id: TransferID, _ write: () throws(ServiceError) -> Value
    ) throws(ServiceError) -> Value {
        do throws(ServiceError) {
            return try write()
        } catch {
            guard error.code == .internal, let path, let holder = try destinationHolder(path), holder != id else {
                throw error
            }
            throw ServiceError(
                .destinationExists,
                "Transfer \(holder) already goes to “\(path.escapingControls)”; choose another name.")
        }
    }
}
