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
        let columns =
            ["id", "session", "intent"]
            + ["folder", "name", "partial_folder", "spooled"].map { JournalJSON.extract($0, from: "request") }
            + ["partial", "copy", "placement"].map { JournalJSON.extract($0, from: "facts") }
            + ["outcome", JournalJSON.extract("partial_name_is_foreign", from: "facts")]
        // A row that is no JSON names no file that could be left behind.
        try connection.forEachRow(
            """
            SELECT \(columns.joined(separator: ", ")) FROM transfers LEFT JOIN requests USING (id) \
            WHERE \(condition) ORDER BY id
            """,
            ids.map { [PageQuery.json($0)] } ?? []
        ) { row in
            guard let id = row.integer(0).map(TransferID.init(column:)) else { return }
            found.append(Remains(id: id, row))
        }
        return found
    }
}
