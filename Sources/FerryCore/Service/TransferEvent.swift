package import FerryFoundation

/// Something that happened to a transfer.
package struct TransferEvent: Hashable, Codable, Sendable {
    /// Rises by one with every durable event; nil for an event that is not delivered again.
    package var number: Int64?
    package var kind: Kind
    package var at: Date
    package var id: TransferID
    package var session: SessionID
    /// The transfer when the event was sent, or when it ended; nil once it was removed.
    package var transfer: Transfer?

    package init(number: Int64?, kind: Kind, at: Date, id: TransferID, session: SessionID, transfer: Transfer?) {
        self.number = number
        self.kind = kind
        self.at = at
        self.id = id
        self.session = session
        self.transfer = transfer
    }

    package enum Kind: String, CaseIterable, Codable, Sendable {
        // Durable: numbered, delivered again until acknowledged.
        case submitted, suspended, resumed, succeeded, failed, canceled, removed
        // Live: sent to the listeners of the moment.
        case running, waiting, progress, changed
        /// A word of a newer peer.
        case unknown

        package init(from decoder: any Decoder) throws {
            self = Kind(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .unknown
        }

        /// The kinds after which nothing more comes of a transfer.
        package static let ends: [Kind] = [.succeeded, .failed, .canceled, .removed]

        /// Whether a client that knows its transfers needs no more than the kind.
        package var isBrief: Bool {
            switch self {
            case .submitted, .suspended, .resumed, .canceled, .removed: true
            case .succeeded, .failed, .running, .waiting, .progress, .changed, .unknown: false
            }
        }
    }
}

/// Which events a listener wants.
package struct EventSubscription: Hashable, Sendable {
    /// Durable events after this number come first; nil starts with what happens from here on.
    package var after: Int64?
    package var session: SessionID?
    /// Only these transfers; nil is all.
    package var ids: Set<TransferID>?
    /// Seconds between progress samples of running transfers, 0.05 to 60; nil is none.
    package var progressInterval: Double?
    /// Whether the stream ends once every transfer of `ids` has ended.
    package var endsWithTransfers = false
    /// Whether only events after which nothing more comes of a transfer are wanted: its end, or its removal.
    package var endsAlone = false
    /// Whether successes come without their transfers.
    package var omitsSuccesses = false
    /// Whether `changed` is left out, as for the client that makes the changes itself.
    package var omitsChanges = false

    package init() {}
}

/// How long durable events are kept that no client has acknowledged; `docs/control-api.md#kept-events` says it to clients.
package struct EventRetention: Hashable, Sendable {
    /// Seconds for which every event waits for its acknowledgement.
    package var lifetime = 30.0 * 86_400
    /// Events that are kept of a session without an app to acknowledge them: commands come and go, and none of them
    /// speaks for all.
    package var mostUnacknowledged = 10_000
    /// Seconds for which such a session's events outlive their transfer, so that a listener that is behind still reads how
    /// it ended.
    package var afterRemoval = 3600.0

    package init() {}

    /// The moments and counts that hold for one session.
    ///
    /// - Parameter isAcknowledged: whether an app is registered for the session: it takes its events when it comes back.
    package func limits(isAcknowledged: Bool, now: Date) -> Limits {
        Limits(
            oldest: now.addingTimeInterval(-lifetime), most: isAcknowledged ? nil : mostUnacknowledged,
            oldestOfRemoved: isAcknowledged ? nil : now.addingTimeInterval(-afterRemoval))
    }

    /// What is kept of one session's events.
    package struct Limits: Hashable, Sendable {
        /// Earlier ones go.
        package let oldest: Date
        /// Only so many of the newest stay; nil is all.
        package let most: Int?
        /// Earlier ones of transfers that are gone go, but the event that says so; nil keeps them.
        package let oldestOfRemoved: Date?
    }
}
