/// An app's process whose run loop is connected to the daemon.
package struct ApplicationConnection: Hashable, Codable, Sendable {
    package var application: String
    package var process: Int32
    /// The session for which the daemon launched the process, or nil if its user started it.
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

/// A signal for an app's run loop.
package enum ApplicationSignal: Hashable, Sendable {
    case connected
    /// Events of a session are waiting, and no process is attached to it.
    case handleEvents(session: String)
    /// Keeps the connection alive.
    case idle
}

/// Encoded as `{"connected": true}`, `{"handle_events": "<session>"}` or `{"idle": true}`.
extension ApplicationSignal: Codable {
    private enum CodingKeys: String, CodingKey {
        case connected, idle
        case handleEvents = "handle_events"
    }

    /// A signal from a newer version is ignored.
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
