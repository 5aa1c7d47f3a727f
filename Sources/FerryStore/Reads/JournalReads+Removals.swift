// Ferry: FerryStore
// What is being forgotten, and what it has on disk.

package import FerryCore
import GRDB

extension JournalReads {
    /// What these transfers have on disk, in the order of their ids.
    ///
    /// - Parameter ids: nil is all that are being forgotten.
    package func remains(of ids: [TransferID]?) throws(TransferError) -> [Remains] {
        let condition =
            ids == nil
            ? "phase = 2 AND intent IN ('remove', 'remove_with_file')" : "id IN (SELECT value FROM json_each(?))"
        var found: [Remains] = []
        try connection.forEachRow(
            "SELECT id, session, intent, request, facts, outcome FROM transfers WHERE \(condition) ORDER BY id",
            ids.map { [PageQuery.json($0)] } ?? []
        ) { row in
            guard let id = row.integer(0).map(TransferID.init(column:)) else { return }
            let session = row.text(1).flatMap { try? SessionID($0) } ?? .cli
            found.append(
                Remains(
                    id: id, session: session, deletesFile: row.text(2) == TransferIntent.removeWithFile.rawValue,
                    request: row.json(3), facts: row.json(4) ?? TransferFacts(), outcome: row.json(5)))
        }
        return found
    }
}
