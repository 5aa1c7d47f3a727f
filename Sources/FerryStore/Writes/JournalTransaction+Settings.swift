// Ferry: FerryStore
// Storing settings.

package import FerryCore
import GRDB

extension JournalTransaction {
    package func saveSettings(_ settings: ServiceSettings) throws(TransferError) {
        try connection.execute(
            "INSERT OR REPLACE INTO settings (name, value) VALUES ('service', ?)", [try JournalJSON.text(settings)])
    }

    /// Stores a session's settings; makes the session if there is none.
    package func saveSession(_ id: SessionID, _ settings: SessionSettings) throws(TransferError) {
        try connection.execute(
            "INSERT OR REPLACE INTO sessions (name, settings) VALUES (?, ?)", [id.name, try JournalJSON.text(settings)])
    }
}
