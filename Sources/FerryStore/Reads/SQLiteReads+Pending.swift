// Ferry: FerryStore
// Walking over all that waits, at a start.

package import FerryCore
import GRDB

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
        // One that has a line waits for no moment of its own; with the usual one, its request says nothing either.
        let sql = """
            SELECT id, session, origin, priority, retry, \
            CASE WHEN line IS NULL THEN \(Self.requested("not_before")) END, due, \
            CASE WHEN line IS NULL AND attempts = 0 \
            THEN (\(JournalJSON.extract("starts_after_relaunch", from: "facts"))) IS NOT NULL END, \
            CASE WHEN line IS NULL OR line <> '' THEN \(Self.requested("network")) END \
            FROM transfers WHERE \(condition) ORDER BY id
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
            let retry = row.json(4, as: RetryPlan.self)
            if retry == nil, !row.isNull(4) { unreadable.append("retry") }
            let network = networks.value(row, 8)
            if network == nil, !row.isNull(8) { unreadable.append("network") }
            if !unreadable.isEmpty { connection.report(unreadable: unreadable, of: "transfer \(id)") }
            body(
                PendingTransfer(
                    id: id, session: unreadable.contains("session") ? .cli : latest, origin: row.text(2) ?? "",
                    priority: priority ?? .normal,
                    network: network ?? NetworkPolicy(), retry: retry, notBefore: row.date(5), due: row.date(6),
                    startsAfterRelaunch: row.integer(7) == 1))
        }
    }

    private static func requested(_ key: String) -> String {
        "(SELECT \(JournalJSON.extract(key, from: "request")) FROM requests WHERE requests.id = transfers.id)"
    }
}
