package import Foundation

/// What the queue needs to know of a transfer that waits; small, since there may be a million.
package struct PendingTransfer: Hashable, Sendable {
    package let id: TransferID
    package let session: SessionID
    /// Scheme, host and port of its URL; the URL itself where that has none.
    package let origin: String
    package let priority: Priority
    package let network: NetworkPolicy
    package let retry: RetryMoment?
    /// The moment before which nothing is asked.
    package let notBefore: Date?
    /// When its time is over, by the wall clock of its last start.
    package let due: Date?
    /// Whether it has not been tried, and starts only once the delay after its app's launches is over.
    package let startsAfterRelaunch: Bool

    package init(
        id: TransferID, session: SessionID, origin: String, priority: Priority, network: NetworkPolicy,
        retry: RetryMoment?, notBefore: Date?, due: Date?, startsAfterRelaunch: Bool
    ) {
        self.id = id
        self.session = session
        self.origin = origin
        self.priority = priority
        self.network = network
        self.retry = retry
        self.notBefore = notBefore
        self.due = due
        self.startsAfterRelaunch = startsAfterRelaunch
    }
}

/// Which of the pending transfers are meant.
package enum PendingSelection: Sendable {
    case all
    case among([TransferID])
    case session(SessionID)
    /// Those that wait for a moment of their own, or may do so.
    case timed
}

/// A pending transfer whose time is bounded.
package struct DueTransfer: Hashable, Sendable {
    package let id: TransferID
    /// When its time is over, by the wall clock of its last start.
    package let due: Date

    package init(id: TransferID, due: Date) {
        self.id = id
        self.due = due
    }
}
