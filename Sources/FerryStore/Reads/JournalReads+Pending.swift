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
            SELECT id, session, origin, priority, retry, json_extract(request, '$.deadline') FROM transfers \
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
            if !unreadable.isEmpty { connection.report(unreadable: unreadable, of: "transfer \(id)") }
            body(
                PendingTransfer(
                    id: id, session: unreadable.contains("session") ? .cli : latest, origin: row.text(2) ?? "",
                    priority: priority ?? .normal, retry: retry, deadline: row.date(5)))
        }
    }
}
