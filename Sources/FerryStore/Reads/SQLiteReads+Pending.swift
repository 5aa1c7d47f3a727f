package import FerryCore
import GRDB

/// Walking over all that waits, at a start.
extension SQLiteReads {
    package func forEachPending(
        _ selection: PendingSelection, _ body: (PendingTransfer) -> Void
    ) throws(TransferError) {
        let (condition, arguments): (String, StatementArguments) =
            switch selection {
            case .all: ("phase = 0", [])
            case .among(let ids): ("id IN (SELECT value FROM json_each(?)) AND +phase = 0", [PageQuery.json(ids)])
            case .session(let session): ("session = ? AND phase = 0", [session.name])
            case .timed: ("phase = 0 AND line IS NULL", [])
            }
        let sql = """
            SELECT id, session, origin, priority, revision, network, retry_at, retry_delay, retry_reason, not_before, due, \
            starts_late = 1 AND attempts = 0 FROM transfers WHERE \(condition) ORDER BY id
            """
        var latest = SessionID.cli
        // Many neighbours are alike in these as well.
        var networks = RepeatedJSON<NetworkPolicy>()
        try connection.forEachRow(sql, arguments) { row in
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
            let priority = row.text(3).flatMap(Priority.init(word:))
            if priority == nil { unreadable.append("priority") }
            // A row of an earlier version tells no more than this by itself.
            let old = (row.integer(4) ?? 0) > 0 ? nil : try record(id)
            let network = row.text(5) == "" ? NetworkPolicy() : networks.value(row, 5)
            if network == nil, !row.isNull(5) { unreadable.append("network") }
            if !unreadable.isEmpty { connection.report(unreadable: unreadable, of: "transfer \(id)") }
            body(
                PendingTransfer(
                    id: id, session: unreadable.contains("session") ? .cli : latest, origin: row.text(2) ?? "",
                    priority: priority ?? .normal,
                    network: old?.request.network ?? network ?? NetworkPolicy(),
                    retry: old.map { $0.retry?.moment } ?? CoreColumns.retry(row, 6),
                    notBefore: old.map(\.request.notBefore) ?? row.date(9), due: row.date(10),
                    startsAfterRelaunch: old.map { $0.core.startsAfterRelaunch && $0.attempts == 0 }
                        ?? (row.integer(11) == 1)))
        }
    }
}
