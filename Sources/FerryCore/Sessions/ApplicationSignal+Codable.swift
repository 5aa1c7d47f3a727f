// Ferry: FerryCore
// Signals to an app's run loop as JSON.

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
