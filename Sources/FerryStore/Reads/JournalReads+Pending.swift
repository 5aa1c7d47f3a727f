// Ferry: FerryStore
// Walking over all that waits, at a start.

package import FerryCore
import GRDB

extension JournalReads {
    /// Calls a closure with every pending transfer, oldest first, holding one at a time.
    ///
    /// A value that cannot be read is reported and replaced by its default: reading the whole record, which comes
    /// before its start, says what is wrong with it.
    package func forEachPending(_ body: (PendingTransfer) -> Void) throws(TransferError) {
        let sql = """
            SELECT id, session, origin, priority, retry, json_extract(request, '$.deadline'), \
            json_extract(request, '$.not_before'), json_extract(request, '$.resource_timeout'), active, \
            attempts = 0 AND json_extract(facts, '$.starts_after_relaunch') IS NOT NULL, \
            json_extract(request, '$.network') FROM transfers \
            WHERE phase = 0 ORDER BY id
            """
        var latest = SessionID.cli
        try connection.forEachRow(sql) { row in
            guard let column = row.integer(0) else { return }
            let id = TransferID(column: column)
            var unreadable: [String] = []
            // Most neighbours are of one session; its name is checked and stored once.
            let name = row.text(1)
            if name != latest.name {
                if let session = name.flatMap({ try? SessionID($0) }) {
                    latest = session
                } else {
                    unreadable.append("session")
                }
            }
            let priority = row.text(3).flatMap(Priority.init)
            if priority == nil { unreadable.append("priority") }
            let retry = row.json(4, as: RetryPlan.self)
            if retry == nil, !row.isNull(4) { unreadable.append("retry") }
            let network = row.json(10, as: NetworkPolicy.self)
            if network == nil, !row.isNull(10) { unreadable.append("network") }
            if !unreadable.isEmpty { connection.report(unreadable: unreadable, of: "transfer \(id)") }
            body(
                PendingTransfer(
                    id: id, session: unreadable.contains("session") ? .cli : latest, origin: row.text(2) ?? "",
                    priority: priority ?? .normal,
                    network: network ?? NetworkPolicy(), retry: retry, deadline: row.date(5), notBefore: row.date(6),
                    resourceTimeout: row.real(7), active: row.json(8, as: ActiveTime.self) ?? ActiveTime(),
                    startsAfterRelaunch: row.integer(9) == 1))
        }
    }
}
