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
        // What is no JSON leaves nothing that anybody knows of.
        try connection.forEachRow(
            """
            SELECT id, session, intent, json_extract(request, '$.folder'), json_extract(request, '$.name'), \
            json_extract(request, '$.partial_folder'), json_extract(request, '$.spooled'), \
            json_extract(facts, '$.partial'), json_extract(facts, '$.copy'), json_extract(facts, '$.placement'), \
            outcome, json_extract(facts, '$.partial_name_is_foreign') FROM (SELECT id, session, intent, outcome, \
            CASE WHEN json_valid(request) THEN request END AS request, CASE WHEN json_valid(facts) THEN facts END AS facts FROM transfers LEFT JOIN requests USING (id) \
            WHERE \(condition)) ORDER BY id
            """,
            ids.map { [PageQuery.json($0)] } ?? []
        ) { row in
            guard let id = row.integer(0).map(TransferID.init(column:)) else { return }
            found.append(Remains(id: id, row))
        }
        return found
    }
}
