package import FerryFoundation

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
    /// When its time ends, by the wall clock of its last start.
    package let due: Date?
    /// Whether it has not been tried, and starts only after the delay that follows its app's launches.
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
    /// Transfers that wait for a moment of their own, or may do so.
    case timed
}

/// A pending transfer whose time is bounded.
package struct DueTransfer: Hashable, Sendable {
    package let id: TransferID
    /// When its time ends, by the wall clock of its last start.
    package let due: Date

    package init(id: TransferID, due: Date) {
        self.id = id
        self.due = due
    }
}

/// Transfers that wait for no moment of their own, and wait alike; the journal finds them side by side.
package struct StoredQueueKey: Hashable, Sendable {
    package let session: SessionID
    package let priority: Priority
    package let origin: String
    /// What the requests themselves say.
    package let network: NetworkPolicy
    /// The same as one word, empty for the usual policy.
    package let line: String

    /// - Parameter record: one of them; nil if it waits for a moment of its own.
    package init?(_ record: TransferRecord, origin: String) {
        guard let line = Self.word(of: record) else { return nil }
        session = record.request.session
        priority = record.request.priority
        self.origin = origin
        network = record.request.network
        self.line = line
    }

    package init(session: SessionID, priority: Priority, origin: String, network: NetworkPolicy, line: String) {
        self.session = session
        self.priority = priority
        self.origin = origin
        self.network = network
        self.line = line
    }

    /// The word of a transfer; nil if it waits for a moment.
    package static func word(of record: TransferRecord) -> String? {
        record.core.waitsForMoment ? nil : word(of: record.request.network)
    }

    /// The word of a network policy, empty if it is the usual one.
    package static func word(of network: NetworkPolicy) -> String? {
        if network == NetworkPolicy() { return "" }
        // The same policy has the same text, whatever wrote it.
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (try? encoder.encode(network)).map { String(decoding: $0, as: UTF8.self) }
    }
}
