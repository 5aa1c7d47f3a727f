package import FerryCore
package import Foundation
import GRDB

/// Durable events: numbered, kept until acknowledged.
extension SQLiteTransaction {
    /// Records an event and returns its number, which is larger than that of every event before, kept or not.
    ///
    /// - Parameter snapshot: The transfer as the event shows it for ever; nil shows it as it is when the event is read.
    @discardableResult
    package func appendEvent(
        kind: TransferEvent.Kind, at: Date, id: TransferID, session: SessionID, snapshot: Transfer?
    ) throws(TransferError) -> Int64 {
        try connection.execute(
            "INSERT INTO events (session, id, kind, at, snapshot) VALUES (?, ?, ?, ?, ?)",
            [
                session.name, id.column, kind.rawValue, at.journalMilliseconds,
                try JournalJSON.text(ifPresent: snapshot),
            ])
        return connection.database.lastInsertedRowID
    }

    /// Lets the events of a session up to and including a number go.
    package func acknowledge(_ session: SessionID, through number: Int64) throws(TransferError) {
        try connection.execute("DELETE FROM events WHERE session = ? AND number <= ?", [session.name, number])
    }

    /// Lets events of a session go that its limits do not keep, some thousand at a time, so that no other commit waits long.
    ///
    /// - Returns: whether there may be more of them.
    package func trimEvents(of session: SessionID, _ limits: EventRetention.Limits) throws(TransferError) -> Bool {
        // The number of the newest that goes for being too many.
        var last: Int64 = -1
        if let most = limits.most {
            let row = try connection.row(
                "SELECT number FROM events WHERE session = ? ORDER BY number DESC LIMIT 1 OFFSET ?",
                [session.name, max(0, most)])
            last = row.flatMap { RowReader($0).integer(0) } ?? -1
        }
        let gone = try connection.execute(
            """
            DELETE FROM events WHERE number IN (
                SELECT number FROM events WHERE session = ?1 AND (number <= ?2 OR at < ?3 OR at < ?4 AND kind <> 'removed' \
                AND NOT EXISTS (SELECT 1 FROM transfers WHERE transfers.id = events.id)) LIMIT ?5
            )
            """,
            [
                session.name, last, limits.oldest.journalMilliseconds,
                limits.oldestOfRemoved?.journalMilliseconds ?? .min, Self.trimmedAtOnce,
            ])
        return gone == Self.trimmedAtOnce
    }

    private static var trimmedAtOnce: Int { 5000 }
}

extension SQLiteReads {
    /// The names of all sessions that have events.
    package func sessionsWithEvents() throws(TransferError) -> [SessionID] {
        var sessions: [SessionID] = []
        // Jumps from one session to the next in the index, past the events between. A damaged index may lead back to a
        // name: UNION ends there, where UNION ALL would not.
        try connection.forEachRow(
            """
            WITH RECURSIVE names (name) AS (
                SELECT min(session) FROM events
                UNION
                SELECT (SELECT min(session) FROM events WHERE session > name) FROM names WHERE name IS NOT NULL
            )
            SELECT name FROM names WHERE name IS NOT NULL
            """
        ) { row in
            if let session = row.text(0).flatMap({ try? SessionID($0) }) { sessions.append(session) }
        }
        return sessions
    }
}
