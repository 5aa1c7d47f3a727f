package import FerryCore
import GRDB

/// The changes that one body of a commit makes; all of them become durable, or none.
///
/// Changes of a transfer that is not there do nothing and return false: it may have been removed while its checkpoint
/// was on the way, which must not undo the checkpoints of others.
package struct SQLiteTransaction: SQLiteReads, JournalTransaction {
    package let connection: JournalConnection

    /// Stores a new transfer, and reserves its destination if the facts name one.
    ///
    /// - Throws: `destination_exists` if another live transfer has reserved that path; `internal` if the id is taken.
    package func insert(_ record: TransferRecord) throws(TransferError) {
        var arguments = try TransferColumns.arguments(record)
        arguments += [record.id.column, record.createdAt.journalMilliseconds]
        _ = try reserving(record.facts.destination, for: record.id) { () throws(TransferError) in
            try connection.execute(TransferColumns.insert, arguments)
        }
        try connection.execute(TransferColumns.insertRequest, TransferColumns.requestArguments(record))
        try insert(record.request.tags, of: record.id)
    }

    /// Stores everything about a transfer but its id and the time of its creation, in place of the row that the record was read
    /// from.
    ///
    /// A live transfer holds the destination that its facts name, or none.
    /// - Returns: false, with nothing changed, if there is no such transfer, or if it has changed since it was read.
    /// - Throws: `destination_exists` if another live transfer has reserved that path.
    @discardableResult
    package func update(_ record: TransferRecord) throws(TransferError) -> Bool {
        var arguments = try TransferColumns.arguments(record)
        arguments += [record.id.column, record.revision.number]
        let changed = try reserving(record.facts.destination, for: record.id) { () throws(TransferError) in
            try connection.execute(TransferColumns.update, arguments)
        }
        guard changed == 1 else { return false }
        let request = try TransferColumns.requestArguments(record)
        if record.request.secretsForgotten {
            try connection.erasing { () throws(TransferError) in
                _ = try connection.execute(TransferColumns.updateRequest, request)
            }
        } else {
            try connection.execute(TransferColumns.updateRequest, request)
        }
        try connection.execute("DELETE FROM transfer_tags WHERE id = ?", [record.id.column])
        try insert(record.request.tags, of: record.id)
        return true
    }

    /// Stores a record's facts and leaves all else as it is, the reservation too.
    @discardableResult
    package func updateFacts(of record: TransferRecord) throws(TransferError) -> Bool {
        let facts = try FactsColumns(record.facts)
        return try connection.execute(
            "UPDATE transfers SET facts = ?, has_partial = ?, restarts = ? WHERE id = ? AND revision = ?",
            [facts.text, facts.leavesWork, facts.restarts, record.id.column, record.revision.number]) == 1
    }

    /// Records what a run has found out; without effect on a transfer that has ended.
    @discardableResult
    package func updateFacts(_ id: TransferID, _ facts: StoredFacts) throws(TransferError) -> Bool {
        let facts = try FactsColumns(of: facts)
        return try connection.execute(
            "UPDATE transfers SET facts = ?, has_partial = ?, restarts = ? WHERE id = ? AND phase < 3",
            [facts.text, facts.leavesWork, facts.restarts, id.column]) == 1
    }

    /// Forgets a transfer; its events stay.
    @discardableResult
    package func delete(_ id: TransferID) throws(TransferError) -> Bool {
        try deleteRequests([id])
        return try connection.execute("DELETE FROM transfers WHERE id = ?", [id.column]) == 1
    }

    /// Deletes requests, before their transfers; requests of failed transfers may have secrets.
    func deleteRequests(_ ids: [TransferID]) throws(TransferError) {
        let named = PageQuery.json(ids)
        let condition = "id IN (SELECT value FROM json_each(?))"
        let delete = { () throws(TransferError) in
            _ = try connection.execute("DELETE FROM requests WHERE \(condition)", [named])
        }
        let secret = try connection.row(
            "SELECT 1 FROM transfers WHERE \(condition) AND secrets IS NOT 0 LIMIT 1", [named])
        if secret == nil { try delete() } else { try connection.erasing(delete) }
    }

    /// Says how many transfers are changed: for very many the log is moved into the journal's file after the commit.
    package func deferCheckpoint(changing count: Int) throws(TransferError) {
        if count >= 1000 { try connection.deferCheckpoint() }
    }

    func insert(_ tags: [String], of id: TransferID) throws(TransferError) {
        for tag in tags {
            try connection.execute("INSERT OR IGNORE INTO transfer_tags (tag, id) VALUES (?, ?)", [tag, id.column])
        }
    }
}

/// Facts as they are stored.
struct FactsColumns: Sendable {
    let text: String
    let leavesWork: Bool
    let restarts: Int

    init(_ facts: TransferFacts) throws(TransferError) {
        text = try JournalJSON.text(facts)
        leavesWork = facts.leavesWork
        restarts = facts.restarts
    }

    /// What was made before the transaction, if this kind of journal made it.
    init(of facts: StoredFacts) throws(TransferError) {
        if let columns = facts.form as? FactsColumns {
            self = columns
        } else {
            try self.init(facts.value)
        }
    }
}
