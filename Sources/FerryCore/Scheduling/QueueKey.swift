// Ferry: FerryCore
// What the scheduler needs to know about a waiting transfer.

/// What the scheduler needs to know about a waiting transfer; those with the same key wait in one line.
package struct QueueKey: Hashable, Sendable {
    package var session: SessionID
    /// The origin of the request's URL, as text.
    package var origin: String
    package var priority: Priority
    package var network: NetworkPolicy

    package init(
        session: SessionID, origin: String, priority: Priority, network: NetworkPolicy = NetworkPolicy()
    ) {
        self.session = session
        self.origin = origin
        self.priority = priority
        self.network = network
    }
}
