package import FerryCore
package import FerryFoundation
package import FerryRules

/// The properties of a waiting transfer that the queue needs. Small, since there may be a million.
package struct PendingTransfer: Hashable, Sendable {
    package let id: TransferID
    package let session: SessionID
    /// Scheme, host and port of the URL, or the URL itself if it has none.
    package let origin: String
    package let priority: Priority
    package let network: NetworkPolicy
    package let retry: RetryMoment?
    /// Earliest date of the first request.
    package let notBefore: Date?
    /// The deadline, by the wall clock at its last start.
    package let due: Date?
    /// Whether it has had no attempt, and starts only after its app's relaunch delay.
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

/// Selects pending transfers.
package enum PendingSelection: Sendable {
    case all
    case among([TransferID])
    case session(SessionID)
    /// Transfers that are or may be delayed until a date.
    case timed
}

/// A pending transfer with a deadline.
package struct DueTransfer: Hashable, Sendable {
    package let id: TransferID
    /// The deadline, by the wall clock at its last start.
    package let due: Date

    package init(id: TransferID, due: Date) {
        self.id = id
        self.due = due
    }
}

/// The key under which the journal indexes waiting transfers without a date of their own.
package struct StoredQueueKey: Hashable, Sendable {
    package let session: SessionID
    package let priority: Priority
    package let origin: String
    /// The network policy of the requests themselves.
    package let network: NetworkPolicy
    /// The network policy as one word, empty for the default.
    package let line: String

    /// - Parameter record: One of the transfers. Nil is returned if it waits for a date of its own.
    package init?(_ record: TransferRecord, origin: String) {
        guard let line = Self.word(of: record) else { return nil }
        session = record.request.session
        priority = record.request.timing.priority
        self.origin = origin
        network = record.request.transport.network
        self.line = line
    }

    package init(session: SessionID, priority: Priority, origin: String, network: NetworkPolicy, line: String) {
        self.session = session
        self.priority = priority
        self.origin = origin
        self.network = network
        self.line = line
    }

    /// The word of a transfer's network policy, or nil if it waits for a date.
    package static func word(of record: TransferRecord) -> String? {
        record.core.waitsForMoment ? nil : word(of: record.request.transport.network)
    }

    /// The word of a network policy, empty for the default.
    package static func word(of network: NetworkPolicy) -> String? {
        if network == NetworkPolicy() { return "" }
        // Sorted keys: equal policies have equal text.
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (try? encoder.encode(network)).map { String(decoding: $0, as: UTF8.self) }
    }
}
