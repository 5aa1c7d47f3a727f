// Ferry: FerryCore
// What a process that is attached to its session is told.

/// What a process that is attached to its session is told.
package enum SessionSignal: Hashable, Sendable {
    case attached(Attached)
    case event(TransferEvent)
    /// Nobody needs to do anything: the connection is alive.
    case idle

    package struct Attached: Hashable, Codable, Sendable {
        /// The highest task number that the session has ever had.
        package var lastTask: Int
        /// Whether this process has got the session's call to handle events, so that it is told when they are over.
        package var handlesEvents: Bool

        package init(lastTask: Int, handlesEvents: Bool) {
            self.lastTask = lastTask
            self.handlesEvents = handlesEvents
        }

        private enum CodingKeys: String, CodingKey {
            case lastTask = "last_task"
            case handlesEvents = "handles_events"
        }
    }
}
