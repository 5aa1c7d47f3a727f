// Ferry: FerryCore
// What is force-quit.

/// What is force-quit: one session, or all of an app.
package enum QuitSelection: Hashable, Codable, Sendable {
    case session(SessionID)
    case application(String)
}
