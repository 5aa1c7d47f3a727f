package import FerryCore
import GRDB

/// Storing apps and their sessions.
extension SQLiteTransaction {
    package func saveApplication(_ name: String, _ record: ApplicationRecord) throws(TransferError) {
        try connection.execute(
            "INSERT OR REPLACE INTO applications (name, value) VALUES (?, ?)", [name, try JournalJSON.text(record)])
    }

    /// Stores what is kept of a session whose app may not be there; makes the session if there is none.
    package func saveRegistration(
        _ registration: SessionRegistration, of id: SessionID
    ) throws(TransferError) {
        try connection.execute(
            "INSERT OR REPLACE INTO registrations (session, value) VALUES (?, ?)",
            [id.name, try JournalJSON.text(registration)])
        try connection.execute(
            "INSERT OR IGNORE INTO sessions (name, settings) VALUES (?, ?)",
            [id.name, try JournalJSON.text(SessionSettings())])
    }
}
