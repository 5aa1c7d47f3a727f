// Ferry: FerryCore
// Signals to a session's process as JSON.

/// Written as `{"attached": {…}}`, `{"event": {…}}` or `{"idle": true}`.
extension SessionSignal: Codable {
    private enum CodingKeys: String, CodingKey { case attached, event, idle }

    /// A word of a newer peer asks for nothing.
    package init(from decoder: any Decoder) throws {
        let box = try decoder.container(keyedBy: CodingKeys.self)
        if let attached = try box.decodeIfPresent(Attached.self, forKey: .attached) {
            self = .attached(attached)
        } else if let event = try box.decodeIfPresent(TransferEvent.self, forKey: .event) {
            self = .event(event)
        } else {
            self = .idle
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var box = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .attached(let attached): try box.encode(attached, forKey: .attached)
        case .event(let event): try box.encode(event, forKey: .event)
        case .idle: try box.encode(true, forKey: .idle)
        }
    }
}
