package import FerryCore
package import FerryQueue
import GRDB

/// Reservations: two live transfers never have the same destination.
extension SQLiteTransaction {
    /// Reserves a path for a live transfer, replacing its reservation.
    ///
    /// - Returns: Whether the transfer holds the path afterwards. False if another live transfer holds it, or if there
    ///   is no live transfer with this id.
    package func claimDestination(_ path: String, for id: TransferID) throws(ServiceError) -> Bool {
        try connection.execute(
            "UPDATE OR IGNORE transfers SET destination = ? WHERE id = ? AND phase < 3", [path, id.column]) == 1
    }

    /// Reserves a path for a live transfer like ``claimDestination(_:for:)``, and records its facts with it.
    ///
    /// - Returns: Whether both were done. If false, nothing has changed.
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

    /// Runs a write that may reserve a path.
    ///
    /// - Throws: `destination_exists` if the write failed because another transfer has reserved the path.
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
