package import FerryCore
import FerryQueue
package import FerryRules
package import Foundation
import GRDB

/// Deletion of secrets.
extension SQLiteTransaction {
    /// Deletes the secrets of finished transfers in batches, so that no other commit waits long.
    ///
    /// Most transfers lose their secrets on completion. These failed long ago.
    /// - Parameters:
    ///   - phase: How the transfers finished.
    ///   - moment: Only transfers that finished before this date. `nil` selects all.
    ///   - id: Only transfers after this one.
    /// - Returns: The last transfer that was examined, or `nil` if there are no more.
    package func forgetSecrets(
        in phase: JournalPhase, endedBefore moment: Date?, after id: TransferID
    ) throws(ServiceError) -> TransferID? {
        var arguments: StatementArguments = [phase.rawValue, id.column]
        if let moment { arguments += [moment.journalMilliseconds] }
        var ids: [TransferID] = []
        try connection.forEachRow(
            """
            SELECT id FROM transfers INDEXED BY transfers_secrets WHERE phase = ? AND secrets IS NOT 0 \
            AND secrets IS NOT \(JournalSecrets.givenAnew.rawValue) AND id > ? \
            \(moment == nil ? "" : "AND finished_at < ?") ORDER BY id LIMIT 100
            """, arguments
        ) { row in
            if let id = row.integer(0) { ids.append(TransferID(column: id)) }
        }
        // A damaged index may point backward.
        guard let last = ids.last, last.column > id.column else { return nil }
        try connection.erasing { () throws(ServiceError) in
            for id in ids { try forgetSecrets(of: id) }
        }
        return last
    }

    /// Deletes a transfer's secrets. Writes only the changed columns, so that an unreadable part stays unchanged.
    private func forgetSecrets(of id: TransferID) throws(ServiceError) {
        guard let row = try connection.row(TransferColumns.select, [id.column]) else { return }
        let (stored, unreadable) = TransferColumns.record(from: RowReader(row))
        guard !unreadable.contains("request") else {
            // The secrets within an unreadable request are unknown. Its text is deleted with the transfer.
            try connection.execute("UPDATE requests SET credentials = NULL WHERE id = ?", [id.column])
            return
        }
        var record = stored
        record.forgetSecrets()
        if record.request != stored.request || unreadable.contains("credentials") {
            try connection.execute(TransferColumns.updateRequest, TransferColumns.requestArguments(record))
        }
        if record.facts != stored.facts {
            try connection.execute(
                "UPDATE transfers SET facts = ? WHERE id = ?", [try JournalJSON.text(record.facts), id.column])
        }
        try connection.execute(
            """
            UPDATE transfers SET secrets = 0, secrets_forgotten = ?, \
            revision = \(CoreColumns.nextRevision) WHERE id = ?
            """, [record.request.secretsForgotten, id.column])
    }
}
