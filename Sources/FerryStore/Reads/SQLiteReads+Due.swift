package import FerryCore
package import Foundation
import GRDB

/// Whose time is over, and when.
extension SQLiteReads {
    /// - Throws: `journal_failed` if a damaged index leads back.
    package func due(
        after last: DueTransfer?, from start: Date?, through end: Date, limit: Int
    ) throws(TransferError) -> [DueTransfer] {
        var found = DuePage(after: last)
        let end = end.journalMilliseconds
        guard let last else {
            try due("due >= ? AND due <= ?", [start?.journalMilliseconds ?? .min, end, limit], &found)
            try connection.checkAdvance(found.advances)
            return found.transfers
        }
        // There may be very many of one moment, which one comparison of both columns would pass one by one on each page.
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
    ) throws(TransferError) {
        try connection.forEachRow(Self.dueSelect(condition), arguments) { row in
            guard let id = row.integer(0), let due = row.integer(1) else { return }
            found.append(id: id, due: due)
        }
    }
}

/// A page of transfers whose time is bounded.
///
/// Columns are compared as they are: dates do not tell all of them apart.
private struct DuePage {
    private(set) var transfers: [DueTransfer] = []
    /// Whether each comes after the one before.
    private(set) var advances = true
    private var last: (due: Int64, id: Int64)?

    init(after last: DueTransfer?) { self.last = last.map { ($0.due.journalMilliseconds, $0.id.column) } }

    mutating func append(id: Int64, due: Int64) {
        if let last, (due, id) <= (last.due, last.id) { advances = false }
        last = (due, id)
        transfers.append(DueTransfer(id: TransferID(column: id), due: Date(journalMilliseconds: due)))
    }
}
