import FerryCore
import FerryQueue
import FerryRules
import Foundation
import GRDB

/// All waiting transfers at a start, and transfers with a deadline.
struct WaitingRows {
    /// The columns of a pending transfer.
    private enum Column: Int, SelectedColumn {
        case id, session, origin, priority, network, retryAt, retryDelay, retryReason, notBefore, due, startsLate
        case attempts
    }

    let connection: JournalConnection

    func forEachPending(
        _ selection: PendingSelection, _ body: (PendingTransfer) -> Void
    ) throws(ServiceError) {
        let (condition, arguments): (String, StatementArguments) =
            switch selection {
            case .all: ("phase = 0", [])
            case .among(let ids): ("id IN (SELECT value FROM json_each(?)) AND +phase = 0", [PageQuery.json(ids)])
            case .session(let session): ("session = ? AND phase = 0", [session.name])
            case .timed: ("phase = 0 AND line IS NULL", [])
            }
        let sql = "SELECT \(Column.list) FROM transfers WHERE \(condition) ORDER BY id"
        var latest = SessionID.cli
        // Many adjacent rows share this value as well.
        var networks = RepeatedJSON<NetworkPolicy>()
        try connection.forEachRow(sql, arguments) { row in
            guard let column = row.integer(Column.id) else { return }
            let id = TransferID(column: column)
            var unreadable: [String] = []
            // Most adjacent rows share a session. Its name is validated and stored once.
            let name = row.text(Column.session)
            if name != latest.name {
                if let session = name.flatMap({ try? SessionID($0) }) {
                    latest = session
                } else {
                    unreadable.append("session")
                }
            }
            let priority = row.text(Column.priority).flatMap(Priority.init(word:))
            if priority == nil { unreadable.append("priority") }
            let network =
                row.text(Column.network) == "" ? NetworkPolicy() : networks.value(row, Column.network.rawValue)
            if network == nil, !row.isNull(Column.network) { unreadable.append("network") }
            if !unreadable.isEmpty { connection.report(unreadable: unreadable, of: "transfer \(id)") }
            body(
                PendingTransfer(
                    id: id, session: unreadable.contains("session") ? .cli : latest,
                    origin: row.text(Column.origin) ?? "", priority: priority ?? .normal,
                    network: network ?? NetworkPolicy(),
                    retry: CoreColumns.retry(row, at: Column.retryAt, delay: .retryDelay, reason: .retryReason),
                    notBefore: row.date(Column.notBefore), due: row.date(Column.due),
                    startsAfterRelaunch: row.flag(Column.startsLate) && row.count(Column.attempts) == 0))
        }
    }

    // MARK: Due transfers

    /// - Throws: `journal_failed` if a damaged index points backward.
    func due(
        after last: DueTransfer?, from start: Date?, through end: Date, limit: Int
    ) throws(ServiceError) -> [DueTransfer] {
        var found = DuePage(after: last)
        let end = end.journalMilliseconds
        guard let last else {
            try due("due >= ? AND due <= ?", [start?.journalMilliseconds ?? .min, end, limit], &found)
            try connection.checkAdvance(found.advances)
            return found.transfers
        }
        // Very many transfers may share a deadline. One comparison of both columns would visit all of them again for
        // each page.
        let moment = last.due.journalMilliseconds
        try due("due = ? AND id > ?", [moment, last.id.column, limit], &found)
        try due("due > ? AND due <= ?", [moment, end, limit - found.transfers.count], &found)
        try connection.checkAdvance(found.advances)
        return found.transfers
    }

    static func dueSelect(_ condition: String) -> String {
        """
        SELECT id, due FROM transfers INDEXED BY transfers_due \
        WHERE phase = 0 AND due IS NOT NULL AND \(condition) ORDER BY due, id LIMIT ?
        """
    }

    private func due(
        _ condition: String, _ arguments: StatementArguments, _ found: inout DuePage
    ) throws(ServiceError) {
        try connection.forEachRow(Self.dueSelect(condition), arguments) { row in
            guard let id = row.integer(0), let due = row.integer(1) else { return }
            found.append(id: id, due: due)
        }
    }
}

/// A page of transfers with a deadline.
///
/// Raw columns are compared, because `Date` does not distinguish all of them.
private struct DuePage {
    private(set) var transfers: [DueTransfer] = []
    /// Whether each row comes after the one before.
    private(set) var advances = true
    private var last: (due: Int64, id: Int64)?

    init(after last: DueTransfer?) { self.last = last.map { ($0.due.journalMilliseconds, $0.id.column) } }

    mutating func append(id: Int64, due: Int64) {
        if let last, (due, id) <= (last.due, last.id) { advances = false }
        last = (due, id)
        transfers.append(DueTransfer(id: TransferID(column: id), due: Date(journalMilliseconds: due)))
    }
}
