// Ferry: FerryCore
// A process that attaches to its session.

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
    /// - Throws: ``TransferError`` with code `invalid_request` if the names are empty, too long or have control characters.
    package func session() throws(TransferError) -> SessionID {
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
