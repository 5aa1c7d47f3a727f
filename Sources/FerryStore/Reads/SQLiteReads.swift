package import FerryCore
package import Foundation
import GRDB

/// What a reader's snapshot and a transaction have in common: statements that read.
package protocol SQLiteReads: JournalReader {
    var connection: JournalConnection { get }
}

/// One consistent state of the journal.
package struct SQLiteReader: SQLiteReads {
    package let connection: JournalConnection
}

extension SQLiteReads {
    /// A row that cannot be read comes back as failed with `journal_failed`: see ``TransferColumns``.
    package func record(_ id: TransferID) throws(TransferError) -> TransferRecord? {
        guard let row = try connection.row(TransferColumns.select, [id.column]) else { return nil }
        let (record, unreadable) = TransferColumns.record(from: RowReader(row))
        if !unreadable.isEmpty { connection.report(unreadable: unreadable, of: "transfer \(id)") }
        return record
    }

    /// Of transfers that were handed over together, what they have in common is read once.
    package func records(_ ids: [TransferID]) throws(TransferError) -> [TransferRecord] {
        if ids.count == 1 { return try record(ids[0]).map { [$0] } ?? [] }
        var found: [TransferID: TransferRecord] = [:]
        var others: [TransferID] = []
        var alike = connection.alike?.latest ?? AlikeRecords()
        try connection.forEachRow(TransferColumns.selectAlike, [PageQuery.json(ids)]) { row in
            guard let id = row.integer(0).map(TransferID.init(column:)) else { return }
            guard let request = alike.request(row.text(8), url: row.text(22)) else { return others.append(id) }
            let (record, unreadable) = TransferColumns.record(from: row, request: request)
            if unreadable.isEmpty { found[id] = record } else { others.append(id) }
        }
        // What cannot be read so is looked at by itself.
        for id in others { found[id] = try record(id) }
        connection.alike?.latest = alike
        return ids.compactMap { found[$0] }
    }

    package func unfinishedCleanups() throws(TransferError) -> [TransferRecord] {
        var ids: [TransferID] = []
        try connection.forEachRow(
            """
            SELECT id FROM transfers INDEXED BY transfers_phase WHERE phase = 2
            UNION SELECT id FROM transfers INDEXED BY transfers_cleanup WHERE has_partial = 1 AND phase >= 2
            """
        ) { row in
            if let id = row.integer(0) { ids.append(TransferID(column: id)) }
        }
        return try records(ids)
    }

    package func unfinishedNames() throws(TransferError) -> [TransferRecord] {
        var ids: [TransferID] = []
        // The index is of phases from 2 on, which SQLite does not see in the second condition.
        try connection.forEachRow(
            """
            SELECT id FROM transfers INDEXED BY transfers_cleanup WHERE has_partial = 1 AND phase >= 2 AND phase = 3 \
            ORDER BY id
            """
        ) { row in
            if let id = row.integer(0) { ids.append(TransferID(column: id)) }
        }
        return try records(ids)
    }

    package func spooledTransfers(endedBefore moment: Date) throws(TransferError) -> [TransferID] {
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

    package var lastTransferID: TransferID? {
        get throws(TransferError) {
            try connection.row("SELECT seq FROM sqlite_sequence WHERE name = 'transfers'")
                .flatMap { RowReader($0).integer(0) }
                .map(TransferID.init(column:))
        }
    }

    package func destinationHolder(_ path: String) throws(TransferError) -> TransferID? {
        try connection.row(
            "SELECT id FROM transfers WHERE destination = ? AND destination IS NOT NULL", [path]
        )
        .flatMap { RowReader($0).integer(0) }
        .map(TransferID.init(column:))
    }

    package func lastPlaced(at path: String) throws(TransferError) -> TransferRecord? {
        let row = try connection.row(
            "SELECT id FROM transfers WHERE placed = ? AND placed IS NOT NULL ORDER BY id DESC LIMIT 1", [path])
        guard let id = row.flatMap({ RowReader($0).integer(0) }) else { return nil }
        return try record(TransferID(column: id))
    }
}
