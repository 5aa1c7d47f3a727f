// Ferry: FerryCommands
// How to go on with paused transfers.

import FerryCore

/// The command that goes on with paused transfers.
enum ResumeHint {
    // A line with more ids than this helps nobody.
    private static let mostIDs = 20

    static func command(_ ids: [TransferID], session: SessionID) -> String {
        guard ids.count > mostIDs else { return "ferry resume " + ids.map(\.description).joined(separator: " ") }
        return "ferry resume --all --session '\(session.name.replacing("'", with: "'\\''"))'"
    }
}
