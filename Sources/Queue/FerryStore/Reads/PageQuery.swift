import FerryCore
import FerryQueue
import FerryRules
import GRDB

/// The statement that selects the ids of one page within one phase.
///
/// Its text depends only on the set of conditions, so prepared statements are reused.
struct PageQuery {
    let sql: String
    let arguments: StatementArguments

    init(_ filter: JournalFilter, phase: JournalPhase?) {
        var conditions: [String] = []
        var arguments = StatementArguments()
        func add(_ condition: String, _ value: (any DatabaseValueConvertible)?) {
            conditions.append(condition)
            arguments += [value]
        }
        // A small set of ids drives the search. A `+` keeps SQLite from using a column's index.
        let isDrivenByIDs = filter.tag != nil || filter.tagPrefix != nil || filter.only != nil
        let plus = isDrivenByIDs ? "+" : ""
        var tables = "transfers AS t"
        var key = "t.id"
        if filter.tag != nil || filter.tagPrefix != nil {
            // CROSS JOIN fixes the join order: first the tag, then the transfer.
            tables = "transfer_tags AS g CROSS JOIN transfers AS t ON t.id = g.id"
            key = "g.id"
            if let tag = filter.tag { add("g.tag = ?", tag) }
            if let prefix = filter.tagPrefix {
                add("g.tag >= ?", prefix)
                add("g.tag < ? || char(0x10FFFF)", prefix)
            }
        }
        if let session = filter.session { add("\(plus)t.session = ?", session.name) }
        if let phase { add("\(plus)t.phase = ?", phase.rawValue) }
        if let after = filter.after { add("\(key) \(filter.newestFirst ? "<" : ">") ?", after.column) }
        if let only = filter.only { add("\(key) IN (SELECT value FROM json_each(?))", Self.json(only)) }
        if !filter.excluding.isEmpty {
            add("+\(key) NOT IN (SELECT value FROM json_each(?))", Self.json(filter.excluding))
        }
        arguments += [filter.limit]
        sql = """
            SELECT \(key) FROM \(tables)\(conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")) \
            ORDER BY \(key) \(filter.newestFirst ? "DESC" : "ASC") LIMIT ?
            """
        self.arguments = arguments
    }

    /// Returns a set of ids as one argument, so that its size does not change the statement.
    static func json(_ ids: some Sequence<TransferID>) -> String {
        var text = "["
        text.reserveCapacity(ids.underestimatedCount * 20 + 2)
        var isFirst = true
        for id in ids {
            if !isFirst { text.append(",") }
            isFirst = false
            text.append(String(id.column))
        }
        text.append("]")
        return text
    }
}
