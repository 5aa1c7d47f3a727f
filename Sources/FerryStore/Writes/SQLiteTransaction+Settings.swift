package import FerryCore
import GRDB

/// Storing settings.
extension SQLiteTransaction {
    package func saveSettings(_ settings: ServiceSettings) throws(TransferError) {
        try connection.execute(
            "INSERT OR REPLACE INTO settings (name, value) VALUES ('service', ?)", [try JournalJSON.text(settings)])
    }

    /// Stores a session's settings; makes the session if there is none.
    package func saveSession(_ id: SessionID, _ settings: SessionSettings) throws(TransferError) {
        try connection.execute(
            """
            INSERT INTO sessions (name, settings) VALUES (?, ?) \
            ON CONFLICT (name) DO UPDATE SET settings = excluded.settings
            """,
            [id.name, try JournalJSON.text(settings)])
    }

    /// Notes a task's number, so that no later one of its session gets it again.
    package func noteTask(_ number: Int, of id: SessionID) throws(TransferError) {
        try connection.execute(
            """
            INSERT INTO sessions (name, settings, last_task) VALUES (?, ?, ?) \
            ON CONFLICT (name) DO UPDATE SET last_task = max(last_task, excluded.last_task)
            """,
            [id.name, try JournalJSON.text(SessionSettings()), number])
    }

    /// Stores the order of a session's transfers; makes the session if there is none.
    ///
    /// Ids that the session does not have are left out.
    /// - Returns: the ids that were stored.
    package func saveOrder(_ ids: TransferIDRuns, of id: SessionID) throws(TransferError) -> [TransferID] {
        let order = ids.selected(from: try transfers(of: id, among: nil))
        try connection.execute(
            """
            INSERT INTO sessions (name, settings, transfer_order) VALUES (?, ?, ?) \
            ON CONFLICT (name) DO UPDATE SET transfer_order = excluded.transfer_order
            """,
            [id.name, try JournalJSON.text(SessionSettings()), TransferOrder.data(order)])
        return order
    }

    /// Stores the cookies that servers have given to a session.
    package func saveCookies(_ cookies: TransferCookies, of id: SessionID) throws(TransferError) {
        try connection.execute(
            """
            INSERT INTO sessions (name, settings, cookies) VALUES (?, ?, ?) \
            ON CONFLICT (name) DO UPDATE SET cookies = excluded.cookies
            """,
            [id.name, try JournalJSON.text(SessionSettings()), try JournalJSON.text(cookies)])
    }
}
