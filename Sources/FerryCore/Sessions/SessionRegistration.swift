// Ferry: FerryCore
// What is kept of a session whose app may not be there.

package import Foundation

/// What is kept of a session whose app may not be there; survives the daemon.
package struct SessionRegistration: Hashable, Codable, Sendable {
    package var application: String
    /// The session's identifier within the app.
    package var identifier: String
    package var sendsLaunchEvents: Bool
    /// When the app last took the session's events, or it was given up that it does.
    package var toldAt: Date?
    /// Whether the user has quit it, and has not started the app since.
    package var isQuit: Bool
    /// The process that has the session open, or had when the daemon ended.
    package var holder: ProcessMark?
    /// Whether it is a manager's: its transfers suspend when it is quit; absent is no.
    package var isManager: Bool

    package init(application: String, identifier: String, sendsLaunchEvents: Bool) {
        self.application = application
        self.identifier = identifier
        self.sendsLaunchEvents = sendsLaunchEvents
        isQuit = false
        isManager = false
    }

    package init(from decoder: any Decoder) throws {
        let box = try decoder.container(keyedBy: CodingKeys.self)
        application = try box.decode(String.self, forKey: .application)
        identifier = try box.decode(String.self, forKey: .identifier)
        sendsLaunchEvents = try box.decode(Bool.self, forKey: .sendsLaunchEvents)
        toldAt = try box.decodeIfPresent(Date.self, forKey: .toldAt)
        isQuit = try box.decode(Bool.self, forKey: .isQuit)
        holder = try box.decodeIfPresent(ProcessMark.self, forKey: .holder)
        isManager = try box.decodeIfPresent(Bool.self, forKey: .isManager) ?? false
    }

    private enum CodingKeys: String, CodingKey {
        case application, identifier, holder
        case sendsLaunchEvents = "launch_events"
        case toldAt = "told_at"
        case isQuit = "quit"
        case isManager = "manager"
    }
}
