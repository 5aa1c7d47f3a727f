// Ferry: FerryCore
// Signals to a session's process as JSON.

/// Written as `{"attached": {…}}`, `{"event": {…}}`, `{"batch": {…}}` or `{"idle": true}`.
extension SessionSignal: Codable {
    private enum CodingKeys: String, CodingKey { case attached, event, batch, idle }

    /// A word of a newer peer asks for nothing.
    package init(from decoder: any Decoder) throws {
        let box = try decoder.container(keyedBy: CodingKeys.self)
        if let attached = try box.decodeIfPresent(Attached.self, forKey: .attached) {
            self = .attached(attached)
        } else if let event = try box.decodeIfPresent(TransferEvent.self, forKey: .event) {
            self = .event(event)
        } else if let batch = try box.decodeIfPresent(EventBatch.self, forKey: .batch) {
            self = .batch(batch)
        } else {
            self = .idle
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var box = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .attached(let attached): try box.encode(attached, forKey: .attached)
        case .event(let event): try box.encode(event, forKey: .event)
        case .batch(let batch): try box.encode(batch, forKey: .batch)
        case .idle: try box.encode(true, forKey: .idle)
        }
    }
}
