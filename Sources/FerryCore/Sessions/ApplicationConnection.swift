// Ferry: FerryCore
// An app whose run loop is connected to the daemon.

/// A process of an app whose run loop is connected to the daemon.
package struct ApplicationConnection: Hashable, Codable, Sendable {
    package var application: String
    package var process: Int32
    /// The session that the daemon started the process for; nil if its user started it.
    package var launchedFor: String?

    package init(application: String, process: Int32, launchedFor: String?) {
        self.application = application
        self.process = process
        self.launchedFor = launchedFor
    }

    private enum CodingKeys: String, CodingKey {
        case application, process
        case launchedFor = "launched_for"
    }
}

/// What an app's run loop is told.
package enum ApplicationSignal: Hashable, Sendable {
    case connected
    /// Events of a session wait that no process is attached to.
    case handleEvents(session: String)
    /// Nobody needs to do anything: the connection is alive.
    case idle
}
