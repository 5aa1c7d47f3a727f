import FerryCore
import FerryQueue
import FerryRules
import Foundation
import GRDB

/// Unfinished work: partial files to clean up, names to determine, results to sweep, and removals in progress.
struct LeftWork {
    let connection: JournalConnection

    func unfinishedCleanups() throws(ServiceError) -> [TransferRecord] {
        var ids: [TransferID] = []
        try connection.forEachRow(
            """
            SELECT id FROM transfers INDEXED BY transfers_phase WHERE phase = 2
            UNION SELECT id FROM transfers INDEXED BY transfers_cleanup WHERE has_partial = 1 AND phase >= 2
            """
        ) { row in
            if let id = row.integer(0) { ids.append(TransferID(column: id)) }
        }
        return try TransferRows(connection: connection).records(ids)
    }

    func unfinishedNames() throws(ServiceError) -> [TransferRecord] {
        var ids: [TransferID] = []
        // The index covers phases from 2 on. SQLite does not infer this from `phase = 3`.
        try connection.forEachRow(
            """
            SELECT id FROM transfers INDEXED BY transfers_cleanup WHERE has_partial = 1 AND phase >= 2 AND phase = 3 \
            ORDER BY id
            """
        ) { row in
            if let id = row.integer(0) { ids.append(TransferID(column: id)) }
        }
        return try TransferRows(connection: connection).records(ids)
    }

    func spooledTransfers(endedBefore moment: Date) throws(ServiceError) -> [TransferID] {
        var ids: [TransferID] = []
        try connection.forEachRow(
            """
            SELECT id FROM transfers INDEXED BY transfers_phase WHERE phase >= 3 AND finished_at < ? \
            AND CASE WHEN revision > 0 THEN spooled ELSE (SELECT \(JournalJSON.extract("spooled", from: "request")) \
            FROM requests WHERE requests.id = transfers.id) END = 1 ORDER BY id
            """, [moment.journalMilliseconds]
        ) { row in
            if let id = row.integer(0) { ids.append(TransferID(column: id)) }
        }
        return ids
    }

    func remains(of ids: [TransferID]?) throws(ServiceError) -> [Remains] {
        let condition =
            ids == nil
            ? "phase = 2 AND intent IN ('remove', 'remove_with_file')" : "id IN (SELECT value FROM json_each(?))"
        var found: [Remains] = []
        let columns =
            ["id", "session", "intent"]
            + ["folder", "name", "partial_folder", "spooled"].map {
                JournalJSON.extract($0, from: RequestTemplates.whole)
            }
            + ["partial", "copy", "placement"].map { JournalJSON.extract($0, from: "facts") }
            + ["outcome", JournalJSON.extract("partial_name_is_foreign", from: "facts")]
        // A row with invalid JSON names no file that could be left behind.
        try connection.forEachRow(
            """
            SELECT \(columns.joined(separator: ", ")) FROM transfers LEFT JOIN requests USING (id) \
            \(RequestTemplates.join) WHERE \(condition) ORDER BY id
            """,
            ids.map { [PageQuery.json($0)] } ?? []
        ) { row in
            guard let id = row.integer(0).map(TransferID.init(column:)) else { return }
            found.append(Remains(id: id, row))
        }
        return found
    }
}

extension Remains {
    /// Reads a row of the statement in ``LeftWork/remains(of:)``.
    fileprivate init(id: TransferID, _ row: RowReader) {
        let request = row.text(3).map { folder in
            var request = TransferRequest(url: "", folder: folder)
            request.file.name = row.text(4)
            request.file.partialFolder = row.text(5)
            request.file.spooled = row.integer(6) == 1
            return request
        }
        var facts = TransferFacts()
        facts.partial = row.json(7)
        facts.copy = row.text(8)
        facts.placement = row.json(9)
        facts.partialNameIsForeign = row.integer(11) == 1
        self.init(
            id: id, session: row.text(1).flatMap { try? SessionID($0) } ?? .cli,
            intent: row.text(2).flatMap(TransferIntent.init), request: request, facts: facts, outcome: row.json(10))
    }
}
