// Ferry: FerryStore
// Durable events: numbered, kept until acknowledged.

package import FerryCore
package import Foundation
import GRDB

extension JournalTransaction {
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

    /// Lets events go that nobody has acknowledged for long: those before a moment, except the newest of each session.
    package func trimEvents(olderThan moment: Date, keepingPerSession kept: Int) throws(TransferError) {
        var sessions: [String] = []
        // Jumps from one session to the next in the index, past the events between.
        try connection.forEachRow(
            """
            WITH RECURSIVE names (name) AS (
                SELECT min(session) FROM events
                UNION ALL
                SELECT (SELECT min(session) FROM events WHERE session > name) FROM names WHERE name IS NOT NULL
            )
            SELECT name FROM names WHERE name IS NOT NULL
            """
        ) { row in
            if let name = row.text(0) { sessions.append(name) }
        }
        for session in sessions {
            try connection.execute(
                """
                DELETE FROM events WHERE session = ?1 AND at < ?2 AND number <= ifnull(\
                (SELECT number FROM events WHERE session = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?3), -1)
                """,
                [session, moment.journalMilliseconds, max(0, kept)])
        }
    }

    /// Lets all but the newest events of a session go.
    package func trimEvents(of session: SessionID, keeping kept: Int) throws(TransferError) {
        try connection.execute(
            """
            DELETE FROM events WHERE session = ?1 AND number <= ifnull(\
            (SELECT number FROM events WHERE session = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2), -1)
            """,
            [session.name, max(0, kept)])
    }
}
