// Ferry: FerryStore
// Reading whole transfers.

package import FerryCore
package import Foundation
import GRDB

extension JournalReads {
    /// One transfer; nil if there is none of this id.
    ///
    /// A row that cannot be read comes back as failed with `journal_failed`: see ``TransferColumns``.
    package func record(_ id: TransferID) throws(TransferError) -> TransferRecord? {
        guard let row = try connection.row(TransferColumns.select, [id.column]) else { return nil }
        let (record, unreadable) = TransferColumns.record(from: RowReader(row))
        if !unreadable.isEmpty { connection.report(unreadable: unreadable, of: "transfer \(id)") }
        return record
    }

    /// Those of these transfers that there are; costs less than ``records(_:)`` where many were handed over together.
    package func records(
        _ ids: [TransferID], _ alike: inout AlikeRecords
    ) throws(TransferError) -> [TransferID: TransferRecord] {
        var result: [TransferID: TransferRecord] = [:]
        var others: [TransferID] = []
        try connection.forEachRow(TransferColumns.selectAlike, [PageQuery.json(ids)]) { row in
            guard let id = row.integer(0).map(TransferID.init(column:)) else { return }
            guard let request = alike.request(row.text(8), url: row.text(16)) else { return others.append(id) }
            let (record, unreadable) = TransferColumns.record(
                from: row, request: request, active: alike.active(row.text(15)))
            if unreadable.isEmpty { result[id] = record } else { others.append(id) }
        }
        // What cannot be read so is looked at by itself.
        for id in others { result[id] = try record(id) }
        return result
    }

    /// Those of these transfers that there are, in the given order.
    package func records(_ ids: [TransferID]) throws(TransferError) -> [TransferRecord] {
        var result: [TransferRecord] = []
        result.reserveCapacity(ids.count)
        for id in ids {
            if let record = try record(id) { result.append(record) }
        }
        return result
    }

    /// The transfers whose cleaning up may not be over, oldest first: those whose cancel was asked for, and ended ones
    /// whose partial file is still recorded, also where it was kept on purpose.
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

    /// The transfers that have succeeded and whose files were being given other names, oldest first.
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

    /// The spooled transfers that ended before a moment, oldest first.
    package func spooledTransfers(endedBefore moment: Date) throws(TransferError) -> [TransferID] {
        var ids: [TransferID] = []
        try connection.forEachRow(
            """
            SELECT id FROM transfers INDEXED BY transfers_phase WHERE phase >= 3 AND finished_at < ? \
            AND (SELECT \(JournalJSON.extract("spooled", from: "request")) FROM requests \
            WHERE requests.id = transfers.id) = 1 \
            ORDER BY id
            """, [moment.journalMilliseconds]
        ) { row in
            if let id = row.integer(0) { ids.append(TransferID(column: id)) }
        }
        return ids
    }

    /// The largest id that was ever stored, also if its transfer is gone.
    package var lastTransferID: TransferID? {
        get throws(TransferError) {
            try connection.row("SELECT seq FROM sqlite_sequence WHERE name = 'transfers'")
                .flatMap { RowReader($0).integer(0) }
                .map(TransferID.init(column:))
        }
    }

    /// The live transfer that has reserved a path.
    package func destinationHolder(_ path: String) throws(TransferError) -> TransferID? {
        try connection.row(
            "SELECT id FROM transfers WHERE destination = ? AND destination IS NOT NULL", [path]
        )
        .flatMap { RowReader($0).integer(0) }
        .map(TransferID.init(column:))
    }

    /// The transfer that last put a file at a path.
    package func lastPlaced(at path: String) throws(TransferError) -> TransferRecord? {
        let row = try connection.row(
            "SELECT id FROM transfers WHERE placed = ? AND placed IS NOT NULL ORDER BY id DESC LIMIT 1", [path])
        guard let id = row.flatMap({ RowReader($0).integer(0) }) else { return nil }
        return try record(TransferID(column: id))
    }
}
