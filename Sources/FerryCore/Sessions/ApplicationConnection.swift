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
    /// Nothing has happened: the connection is alive.
    case idle
}

/// Written as `{"connected": true}`, `{"handle_events": "<session>"}` or `{"idle": true}`.
extension ApplicationSignal: Codable {
    private enum CodingKeys: String, CodingKey {
        case connected, idle
        case handleEvents = "handle_events"
    }

    /// A word of a newer peer asks for nothing.
    package init(from decoder: any Decoder) throws {
        let box = try decoder.container(keyedBy: CodingKeys.self)
        if let session = try box.decodeIfPresent(String.self, forKey: .handleEvents) {
            self = .handleEvents(session: session)
        } else {
            self = box.contains(.connected) ? .connected : .idle
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var box = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .connected: try box.encode(true, forKey: .connected)
        case .handleEvents(let session): try box.encode(session, forKey: .handleEvents)
        case .idle: try box.encode(true, forKey: .idle)
        }
    }
}
