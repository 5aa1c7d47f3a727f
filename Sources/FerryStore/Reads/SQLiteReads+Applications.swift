package import FerryCore
package import Foundation
import GRDB

/// Reading apps and their sessions.
extension SQLiteReads {
    package func applications() throws(TransferError) -> [String: ApplicationRecord] {
        var found: [String: ApplicationRecord] = [:]
        try connection.forEachRow("SELECT name, value FROM applications") { row in
            guard let name = row.text(0) else { return }
            found[name] = row.json(1)
            if found[name] == nil { connection.report(unreadable: ["value"], of: "app \(name.escapingControls)") }
        }
        return found
    }

    package func registrations() throws(TransferError) -> [SessionID: SessionRegistration] {
        var found: [SessionID: SessionRegistration] = [:]
        try connection.forEachRow("SELECT session, value FROM registrations") { row in
            guard let name = row.text(0) else { return }
            let registration: SessionRegistration? = row.json(1)
            if let registration, let id = try? SessionID(name) {
                found[id] = registration
            } else {
                connection.report(unreadable: ["value"], of: "session \(name.escapingControls)")
            }
        }
        return found
    }

    package func hasPending(_ session: SessionID, besides count: Int) throws(TransferError) -> Bool {
        try connection.row(
            "SELECT 1 FROM transfers WHERE session = ? AND phase = 0 LIMIT 1 OFFSET ?", [session.name, count]) != nil
    }

    package func hasEnded(_ session: SessionID, after moment: Date?) throws(TransferError) -> Bool {
        try connection.row(
            "SELECT 1 FROM transfers WHERE session = ? AND phase >= 3 AND finished_at > ? LIMIT 1",
            [session.name, moment?.journalMilliseconds ?? Int64.min]) != nil
    }
}
