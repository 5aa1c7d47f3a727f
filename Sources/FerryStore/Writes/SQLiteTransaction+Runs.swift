package import FerryCore
package import Foundation
import GRDB

/// Recording many events at once.
extension SQLiteTransaction {
    /// Records an event of one kind for each of these transfers, in their order.
    @discardableResult
    package func appendEvents(
        kind: TransferEvent.Kind, at: Date, ids: [TransferID], session: SessionID
    ) throws(TransferError) -> EventRun {
        guard !ids.isEmpty else {
            return EventRun(kind: kind, session: session, at: at, first: try lastEventNumber + 1, ids: [])
        }
        try deferCheckpoint(changing: ids.count)
        try connection.execute(
            "INSERT INTO events (session, id, kind, at) SELECT ?, value, ?, ? FROM json_each(?)",
            [session.name, kind.rawValue, at.journalMilliseconds, PageQuery.json(ids)])
        let first = connection.database.lastInsertedRowID - Int64(ids.count) + 1
        return EventRun(kind: kind, session: session, at: at, first: first, ids: ids)
    }
}
