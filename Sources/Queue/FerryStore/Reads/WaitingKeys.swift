import FerryCore
import FerryQueue
import Foundation
import GRDB

/// Reads the waiting transfers of each queue, a few at a time.
struct WaitingKeys {
    let connection: JournalConnection

    /// Returns the keys of all queues, and the transfers with an unreadable key. Skips from key to key in the index,
    /// past the transfers of each.
    ///
    /// Columns are compared as bytes: as text, a column with invalid UTF-8 or a NUL would lead back to itself.
    func lines() throws(ServiceError) -> (lines: [StoredQueueKey], unreadable: [TransferID]) {
        var lines: [StoredQueueKey] = []
        var unreadable: [TransferID] = []
        var last: [Data]?
        while let columns = try line(after: last) {
            if let last, !last.lexicographicallyPrecedes(columns, by: { $0.lexicographicallyPrecedes($1) }) {
                return ([], try allInLines())
            }
            last = columns
            let texts = columns.compactMap { $0.contains(0) ? nil : String(validating: $0, as: UTF8.self) }
            if texts.count == columns.count,
                let line = StoredQueueKey(session: texts[0], priority: texts[1], origin: texts[2], line: texts[3])
            {
                lines.append(line)
            } else {
                try forEachID(in: columns, after: nil, through: nil, limit: -1) { unreadable.append($0) }
            }
        }
        return (lines, unreadable)
    }

    /// Returns all queued transfers without using the index, for an index that is damaged and points backward.
    private func allInLines() throws(ServiceError) -> [TransferID] {
        var ids: [TransferID] = []
        try connection.forEachRow(
            "SELECT id FROM transfers NOT INDEXED WHERE phase = 0 AND line IS NOT NULL ORDER BY id"
        ) { row in
            if let id = row.integer(0) { ids.append(TransferID(column: id)) }
        }
        return ids
    }

    /// Returns the columns of the next queue key in the index.
    private func line(after last: [Data]?) throws(ServiceError) -> [Data]? {
        guard let last else { return try line("", []) }
        // Each search has equal columns and one greater column. SQLite finds it without visiting the queue's other
        // transfers.
        for equal in stride(from: Self.columns.count - 1, through: 0, by: -1) {
            let conditions =
                Self.columns[..<equal].map { "AND \($0) = \(Self.text) " }.joined()
                + "AND \(Self.columns[equal]) > \(Self.text)"
            if let next = try line(conditions, Array(last[...equal])) { return next }
        }
        return nil
    }

    private static var columns: [String] { ["session", "priority", "origin", "line"] }
    /// SQL for a bytes argument that is compared as text.
    private static var text: String { "CAST(? AS TEXT)" }

    private func line(_ conditions: String, _ arguments: [Data]) throws(ServiceError) -> [Data]? {
        let columns = Self.columns.map { "CAST(\($0) AS BLOB)" }.joined(separator: ", ")
        let row = try connection.row(
            """
            SELECT \(columns) FROM transfers INDEXED BY transfers_line \
            WHERE phase = 0 AND line IS NOT NULL \(conditions) ORDER BY session, priority, origin, line LIMIT 1
            """, StatementArguments(arguments))
        guard let reader = row.map(RowReader.init) else { return nil }
        return (0..<Self.columns.count).map { reader.data($0) ?? Data() }
    }

    /// - Throws: `journal_failed` if a damaged index points backward.
    func ids(
        in line: StoredQueueKey, after: TransferID?, through last: TransferID, limit: Int
    ) throws(ServiceError) -> [TransferID] {
        var ids: [TransferID] = []
        ids.reserveCapacity(limit)
        let columns = [line.session.name, line.priority.word, line.origin, line.line].map { Data($0.utf8) }
        try forEachID(in: columns, after: after, through: last, limit: limit) { ids.append($0) }
        let before = after.map { [$0] } ?? []
        try connection.checkAdvance(zip(before + ids, (before + ids).dropFirst()).allSatisfy { $0.column < $1.column })
        return ids
    }

    private func forEachID(
        in columns: [Data], after: TransferID?, through last: TransferID?, limit: Int, _ body: (TransferID) -> Void
    ) throws(ServiceError) {
        let equal = Self.columns.map { "AND \($0) = \(Self.text) " }.joined()
        try connection.forEachRow(
            """
            SELECT id FROM transfers INDEXED BY transfers_line WHERE phase = 0 AND line IS NOT NULL \
            \(equal)AND id > ? AND id <= ? ORDER BY id LIMIT ?
            """,
            StatementArguments(columns) + [after?.column ?? -1, last?.column ?? .max, limit]
        ) { row in
            if let id = row.integer(0) { body(TransferID(column: id)) }
        }
    }
}

extension StoredQueueKey {
    /// Creates a key from columns, or returns `nil` if they are unreadable.
    fileprivate init?(session: String, priority: String, origin: String, line: String) {
        guard let session = try? SessionID(session), let priority = Priority(word: priority),
            let network = line.isEmpty ? NetworkPolicy() : JournalJSON.value(NetworkPolicy.self, line)
        else { return nil }
        self.init(session: session, priority: priority, origin: origin, network: network, line: line)
    }
}
