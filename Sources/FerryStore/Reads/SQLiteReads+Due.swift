package import FerryCore
package import Foundation
import GRDB

/// Whose time is over, and when.
extension DueTransfer {
    /// Whether it comes before another in the order of the moments.
    fileprivate func precedes(_ other: DueTransfer) -> Bool { (due, id.column) < (other.due, other.id.column) }
}

extension SQLiteReads {
    /// - Throws: `journal_failed` if a damaged index leads back.
    package func due(
        after last: DueTransfer?, from start: Date?, through end: Date, limit: Int
    ) throws(TransferError) -> [DueTransfer] {
        var found: [DueTransfer] = []
        let end = end.journalMilliseconds
        guard let last else {
            try due("due >= ? AND due <= ?", [start?.journalMilliseconds ?? .min, end, limit], &found)
            try connection.checkAdvance(zip(found, found.dropFirst()).allSatisfy { $0.precedes($1) })
            return found
        }
        // There may be very many of one moment, which one comparison of both columns would pass one by one on each page.
        let moment = last.due.journalMilliseconds
        try due("due = ? AND id > ?", [moment, last.id.column, limit], &found)
        try due("due > ? AND due <= ?", [moment, end, limit - found.count], &found)
        try connection.checkAdvance(zip([last] + found, found).allSatisfy { $0.precedes($1) })
        return found
    }

    static func dueSelect(_ condition: String) -> String {
        """
        SELECT id, due FROM transfers INDEXED BY transfers_due \
        WHERE phase = 0 AND due IS NOT NULL AND \(condition) ORDER BY due, id LIMIT ?
        """
    }

    private func due(
        _ condition: String, _ arguments: StatementArguments, _ found: inout [DueTransfer]
    ) throws(TransferError) {
        try connection.forEachRow(Self.dueSelect(condition), arguments) { row in
            guard let id = row.integer(0), let due = row.date(1) else { return }
            found.append(DueTransfer(id: TransferID(column: id), due: due))
        }
    }
}
