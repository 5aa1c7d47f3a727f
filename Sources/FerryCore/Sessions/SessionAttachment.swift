package import FerryFoundation

/// What a process says of itself and its session when it attaches.
package struct SessionAttachment: Hashable, Codable, Sendable {
    package var application: String
    /// The session's identifier within the app.
    package var identifier: String
    package var process: Int32
    /// Whether the daemon started the process for this session's events, and it has not become active since.
    package var isBackgroundLaunched: Bool
    package var sendsLaunchEvents: Bool
    /// HTTP/1.1 connections to one host at most.
    package var connectionsPerHost: Int?
    /// Seconds between samples of running transfers.
    package var progressInterval: Double
    /// Whether the session is one of a manager: its transfers stay until they are removed, and suspend when it is quit.
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

    /// The daemon's name for the session.
    ///
    /// - Throws: ``ServiceError`` with code `invalid_request` if the names are empty, too long or have control characters.
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

/// A process, told from later ones of the same number by the moment of its start.
package struct ProcessMark: Hashable, Codable, Sendable {
    package var process: Int32
    /// Ticks of the system's clock from the boot to its start.
    package var started: UInt64
    /// Which boot.
    package var boot: String

    package init(process: Int32, started: UInt64, boot: String) {
        self.process = process
        self.started = started
        self.boot = boot
    }
}
