/// A signal for a process attached to its session.
package enum SessionSignal: Hashable, Sendable {
    case attached(Attached)
    /// Another process is attached and about to lose the session to this one. `.attached` follows then.
    ///
    /// - Parameter lastTask: The highest task number of the session so far.
    case held(lastTask: Int)
    case event(TransferEvent)
    /// Durable events of which a manager needs only the kind.
    case batch(EventBatch)
    /// Keeps the connection alive.
    case idle

    package struct Attached: Hashable, Codable, Sendable {
        /// The highest task number ever used in the session.
        package var lastTask: Int
        /// Whether this process was asked to handle the session's events, and is notified when all have been delivered.
        package var handlesEvents: Bool
        /// Number of the last durable event delivered to a manager again, or 0.
        package var history: Int64
        /// The stored order of a manager's transfers.
        package var order: [TransferID]

        package init(lastTask: Int, handlesEvents: Bool, history: Int64 = 0, order: [TransferID] = []) {
            self.lastTask = lastTask
            self.handlesEvents = handlesEvents
            self.history = history
            self.order = order
        }

        package init(from decoder: any Decoder) throws {
            let box = try decoder.container(keyedBy: CodingKeys.self)
            lastTask = try box.decode(Int.self, forKey: .lastTask)
            handlesEvents = try box.decode(Bool.self, forKey: .handlesEvents)
            history = try box.decodeIfPresent(Int64.self, forKey: .history) ?? 0
            order = try box.contains(.order) ? box.decodeIDs(forKey: .order) : []
        }

        package func encode(to encoder: any Encoder) throws {
            var box = encoder.container(keyedBy: CodingKeys.self)
            try box.encode(lastTask, forKey: .lastTask)
            try box.encode(handlesEvents, forKey: .handlesEvents)
            try box.encode(history, forKey: .history)
            try box.encode(TransferIDRuns(order), forKey: .order)
        }

        private enum CodingKeys: String, CodingKey {
            case history, order
            case lastTask = "last_task"
            case handlesEvents = "handles_events"
        }
    }
}

/// Encoded as `{"attached": {…}}`, `{"held": {"last_task": 7}}`, `{"event": {…}}`, `{"batch": {…}}` or
/// `{"idle": true}`.
extension SessionSignal: Codable {
    private enum CodingKeys: String, CodingKey { case attached, held, event, batch, idle }
    private enum HeldKeys: String, CodingKey { case lastTask = "last_task" }

    /// A signal from a newer version is ignored.
    package init(from decoder: any Decoder) throws {
        let box = try decoder.container(keyedBy: CodingKeys.self)
        if let attached = try box.decodeIfPresent(Attached.self, forKey: .attached) {
            self = .attached(attached)
        } else if box.contains(.held) {
            let held = try box.nestedContainer(keyedBy: HeldKeys.self, forKey: .held)
            self = .held(lastTask: try held.decode(Int.self, forKey: .lastTask))
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
        case .held(let lastTask):
            var held = box.nestedContainer(keyedBy: HeldKeys.self, forKey: .held)
            try held.encode(lastTask, forKey: .lastTask)
        case .event(let event): try box.encode(event, forKey: .event)
        case .batch(let batch): try box.encode(batch, forKey: .batch)
        case .idle: try box.encode(true, forKey: .idle)
        }
    }
}

/// Consecutive durable events of one kind without their transfers, for a client that knows its transfers.
package struct EventBatch: Hashable, Sendable {
    package var kind: TransferEvent.Kind
    /// Number of the last event.
    package var through: Int64
    package var ids: [TransferID]

    package init(kind: TransferEvent.Kind, through: Int64, ids: [TransferID]) {
        self.kind = kind
        self.through = through
        self.ids = ids
    }
}

extension EventBatch: Codable {
    private enum CodingKeys: String, CodingKey { case kind, through, ids }

    package init(from decoder: any Decoder) throws {
        let box = try decoder.container(keyedBy: CodingKeys.self)
        kind = try box.decode(TransferEvent.Kind.self, forKey: .kind)
        through = try box.decode(Int64.self, forKey: .through)
        ids = try box.decodeIDs(forKey: .ids)
    }

    package func encode(to encoder: any Encoder) throws {
        var box = encoder.container(keyedBy: CodingKeys.self)
        try box.encode(kind, forKey: .kind)
        try box.encode(through, forKey: .through)
        try box.encode(TransferIDRuns(ids), forKey: .ids)
    }
}
