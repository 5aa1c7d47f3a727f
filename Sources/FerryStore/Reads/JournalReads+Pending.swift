// Ferry: FerryStore
// Walking over all that waits, at a start.

package import FerryCore
import GRDB

extension JournalReads {
    /// Calls a closure with every pending transfer, oldest first, holding one at a time.
    ///
    /// A value that cannot be read is reported and replaced by its default: reading the whole record, which comes
    /// before its start, says what is wrong with it.
    ///
    /// - Parameters:
    ///   - ids: only these; nil is all.
    ///   - session: only those of this session; nil is all. Not together with `ids`.
    ///   - timed: only those that wait for a moment of their own, or may do so. Not together with the others.
    package func forEachPending(
        among ids: [TransferID]? = nil, of session: SessionID? = nil, timed: Bool = false,
        _ body: (PendingTransfer) -> Void
    ) throws(TransferError) {
        let condition =
            ids != nil
            ? "id IN (SELECT value FROM json_each(?)) AND +phase = 0"
            : session != nil
                ? "session = ? AND phase = 0" : timed ? "phase = 0 AND line IS NULL" : "phase = 0"
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
        let argument = ids.map(PageQuery.json) ?? session?.name
        try connection.forEachRow(sql, argument.map { [$0] } ?? []) { row in
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

    /// Those of these transfers that are pending, oldest first.
    package func pending(_ ids: [TransferID]) throws(TransferError) -> [PendingTransfer] {
        var pending: [PendingTransfer] = []
        pending.reserveCapacity(ids.count)
        try forEachPending(among: ids) { pending.append($0) }
        return pending
    }

    /// Those of a session that are pending, oldest first.
    package func pending(of session: SessionID) throws(TransferError) -> [PendingTransfer] {
        var pending: [PendingTransfer] = []
        try forEachPending(of: session) { pending.append($0) }
        return pending
    }

    /// Those of a session that are in a phase, oldest first.
    package func ids(of session: SessionID, in phase: JournalPhase) throws(TransferError) -> [TransferID] {
        try Self.ids(connection, session, nil, "AND phase = ?", [phase.rawValue])
    }
}
