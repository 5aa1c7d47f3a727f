// Ferry: FerryStore
// What waits, a few at a time.

package import FerryCore
import GRDB

extension JournalReads {
    /// The lines in which transfers wait, and the ids of those that wait in a line that cannot be read.
    ///
    /// Goes from line to line in the index, past those who wait in them.
    package func lines() throws(TransferError) -> (lines: [StoredLine], unreadable: [TransferID]) {
        var lines: [StoredLine] = []
        var unreadable: [TransferID] = []
        var last: [String]?
        while let columns = try line(after: last) {
            last = columns
            if let line = StoredLine(session: columns[0], priority: columns[1], origin: columns[2], line: columns[3]) {
                lines.append(line)
            } else {
                try forEachID(in: columns, after: nil, through: nil, limit: -1) { unreadable.append($0) }
            }
        }
        return (lines, unreadable)
    }

    /// The columns of the line that follows another in the index.
    private func line(after last: [String]?) throws(TransferError) -> [String]? {
        guard let last else { return try line("", []) }
        // Each search is for equal columns and one that is larger: what SQLite finds without a look at those that wait alike.
        for equal in stride(from: Self.columns.count - 1, through: 0, by: -1) {
            let conditions = Self.columns[..<equal].map { "AND \($0) = ? " }.joined() + "AND \(Self.columns[equal]) > ?"
            if let next = try line(conditions, Array(last[...equal])) { return next }
        }
        return nil
    }

    private static var columns: [String] { ["session", "priority", "origin", "line"] }

    private func line(_ conditions: String, _ arguments: [String]) throws(TransferError) -> [String]? {
        let row = try connection.row(
            """
            SELECT session, priority, origin, line FROM transfers INDEXED BY transfers_line \
            WHERE phase = 0 AND line IS NOT NULL \(conditions) ORDER BY session, priority, origin, line LIMIT 1
            """, StatementArguments(arguments))
        guard let reader = row.map(RowReader.init) else { return nil }
        return (0..<Self.columns.count).map { reader.text($0) ?? "" }
    }

    /// The oldest of those that wait in a line.
    ///
    /// - Parameter after: only younger ones; nil is all.
    package func ids(
        in line: StoredLine, after: TransferID?, through last: TransferID, limit: Int
    ) throws(TransferError) -> [TransferID] {
        var ids: [TransferID] = []
        ids.reserveCapacity(limit)
        let columns = [line.session.name, line.priority.word, line.origin, line.line]
        try forEachID(in: columns, after: after, through: last, limit: limit) { ids.append($0) }
        return ids
    }

    private func forEachID(
        in columns: [String], after: TransferID?, through last: TransferID?, limit: Int, _ body: (TransferID) -> Void
    ) throws(TransferError) {
        try connection.forEachRow(
            """
            SELECT id FROM transfers INDEXED BY transfers_line WHERE phase = 0 AND line IS NOT NULL \
            AND session = ? AND priority = ? AND origin = ? AND line = ? AND id > ? AND id <= ? ORDER BY id LIMIT ?
            """,
            StatementArguments(columns) + [after?.column ?? -1, last?.column ?? .max, limit]
        ) { row in
            if let id = row.integer(0) { body(TransferID(column: id)) }
        }
    }
}
