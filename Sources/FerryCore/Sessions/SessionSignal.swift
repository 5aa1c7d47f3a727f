// Ferry: FerryCore
// What a process that is attached to its session is told.

/// What a process that is attached to its session is told.
package enum SessionSignal: Hashable, Sendable {
    case attached(Attached)
    case event(TransferEvent)
    /// Durable events that a manager needs no more of than their kind.
    case batch(EventBatch)
    /// Nobody needs to do anything: the connection is alive.
    case idle

    package struct Attached: Hashable, Codable, Sendable {
        /// The highest task number that the session has ever had.
        package var lastTask: Int
        /// Whether this process has got the session's call to handle events, so that it is told when they are over.
        package var handlesEvents: Bool
        /// Number of the last durable event that a manager is told of again; 0 if there is none.
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
