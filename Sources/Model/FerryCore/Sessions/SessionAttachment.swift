package import FerryFoundation

/// A process's description of itself and its session when it attaches.
package struct SessionAttachment: Hashable, Codable, Sendable {
    package var application: String
    /// The session's identifier within the app.
    package var identifier: String
    package var process: Int32
    /// Whether the daemon launched the process for this session's events and it has not become active since.
    package var isBackgroundLaunched: Bool
    package var sendsLaunchEvents: Bool
    /// Maximum number of HTTP/1.1 connections per host.
    package var connectionsPerHost: Int?
    /// Seconds between progress events of running transfers.
    package var progressInterval: Double
    /// Whether the session belongs to a manager: its transfers stay until they are removed, and are suspended when it
    /// is quit.
    package var isManager: Bool

    package init(
        application: String, identifier: String, process: Int32, isBackgroundLaunched: Bool, sendsLaunchEvents: Bool,
        connectionsPerHost: Int?, progressInterval: Double = 0.1, isManager: Bool = false
    ) {
        self.application = application
        self.identifier = identifier
        self.process = process
        self.isBackgroundLaunched = isBackgroundLaunched
        self.sendsLaunchEvents = sendsLaunchEvents
        self.connectionsPerHost = connectionsPerHost
        self.progressInterval = progressInterval
        self.isManager = isManager
    }

    /// Returns the daemon's id for the session.
    ///
    /// - Throws: ``ServiceError`` with code `invalid_request` if the names are empty, too long or contain control
    ///   characters.
    package func session() throws(ServiceError) -> SessionID {
        try SessionID(application + (isManager ? ":" : "/") + identifier)
    }

    private enum CodingKeys: String, CodingKey {
        case application, identifier, process
        case isBackgroundLaunched = "background_launched"
        case sendsLaunchEvents = "launch_events"
        case connectionsPerHost = "connections_per_host"
        case progressInterval = "progress"
        case isManager = "manager"
    }
}

/// The record of a background session. Persistent.
package struct SessionRegistration: Hashable, Codable, Sendable {
    package var application: String
    /// The session's identifier within the app.
    package var identifier: String
    package var sendsLaunchEvents: Bool
    /// When the app last took the session's events, or the daemon gave up notifying it.
    package var notifiedAt: Date?
    /// Whether the user has quit the session and has not started the app since.
    package var isQuit: Bool
    /// The process attached to the session, or attached when the daemon ended.
    package var holder: ProcessMark?
    /// Whether the session belongs to a manager: its transfers are suspended when it is quit. Absent means no.
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
        notifiedAt = try box.decodeIfPresent(Date.self, forKey: .notifiedAt)
        isQuit = try box.decode(Bool.self, forKey: .isQuit)
        holder = try box.decodeIfPresent(ProcessMark.self, forKey: .holder)
        isManager = try box.decodeIfPresent(Bool.self, forKey: .isManager) ?? false
    }

    private enum CodingKeys: String, CodingKey {
        case application, identifier, holder
        case sendsLaunchEvents = "launch_events"
        case notifiedAt = "told_at"
        case isQuit = "quit"
        case isManager = "manager"
    }
}

/// Identifies a process, distinguished from later ones with the same number by its start time.
package struct ProcessMark: Hashable, Codable, Sendable {
    package var process: Int32
    /// Clock ticks from boot to the process's start.
    package var started: UInt64
    /// Id of the boot.
    package var boot: String

    package init(process: Int32, started: UInt64, boot: String) {
        self.process = process
        self.started = started
        self.boot = boot
    }
}
