package import FerryCore
import Foundation
import GRDB

/// Pages of lists, as far as transfers are shown.
extension SQLiteReads {
    package func listing(_ filter: JournalFilter) throws(TransferError) -> [ListedTransfer] {
        let ids = try ids(of: filter)
        var listed: [TransferID: ListedTransfer] = [:]
        listed.reserveCapacity(ids.count)
        // SQLite reads the few values that are shown out of the JSON; decoding all of it takes several times as long.
        var networks = RepeatedJSON<NetworkPolicy>()
        try connection.forEachRow(ListedColumns.select, [PageQuery.json(ids)]) { row in
            if let transfer = ListedColumns.transfer(from: row, &networks) { listed[transfer.record.id] = transfer }
        }
        var result: [ListedTransfer] = []
        result.reserveCapacity(ids.count)
        for id in ids {
            if let transfer = listed[id] {
                result.append(transfer)
            } else if let record = try record(id) {
                // Something in its row cannot be read: reading all of it says what.
                result.append(ListedTransfer(record: record, origin: record.request.url))
            }
        }
        return result
    }
}
