package import FerryFoundation

/// An event of a transfer.
package struct TransferEvent: Hashable, Codable, Sendable {
    /// Increases by one with every durable event. Nil for a live event, which is not delivered again.
    package var number: Int64?
    package var kind: Kind
    package var at: Date
    package var id: TransferID
    package var session: SessionID
    /// Shared by all copies: an event waits in the queue of each of its listeners.
    private var shown: Boxed<Transfer>?

    /// The transfer at the time of the event, or at completion. Nil after removal.
    package var transfer: Transfer? {
        get { shown?.wrappedValue }
        set { shown = newValue.map { Boxed(wrappedValue: $0) } }
    }

    package init(number: Int64?, kind: Kind, at: Date, id: TransferID, session: SessionID, transfer: Transfer?) {
        self.number = number
        self.kind = kind
        self.at = at
        self.id = id
        self.session = session
        self.transfer = transfer
    }

    private enum CodingKeys: String, CodingKey { case number, kind, at, id, session, transfer }

    package init(from decoder: any Decoder) throws {
        let box = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            number: try box.decodeIfPresent(Int64.self, forKey: .number),
            kind: try box.decode(Kind.self, forKey: .kind),
            at: try box.decode(Date.self, forKey: .at), id: try box.decode(TransferID.self, forKey: .id),
            session: try box.decode(SessionID.self, forKey: .session),
            transfer: try box.decodeIfPresent(Transfer.self, forKey: .transfer))
    }

    package func encode(to encoder: any Encoder) throws {
        var box = encoder.container(keyedBy: CodingKeys.self)
        try box.encodeIfPresent(number, forKey: .number)
        try box.encode(kind, forKey: .kind)
        try box.encode(at, forKey: .at)
        try box.encode(id, forKey: .id)
        try box.encode(session, forKey: .session)
        try box.encodeIfPresent(transfer, forKey: .transfer)
    }

    package enum Kind: String, CaseIterable, Codable, Sendable {
        // Durable events are numbered and delivered again until acknowledged.
        case submitted, suspended, resumed, succeeded, failed, canceled, removed
        // Live events are delivered to current listeners only.
        case running, waiting, progress, changed
        /// A kind from a newer version.
        case unknown

        package init(from decoder: any Decoder) throws {
            self = Kind(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .unknown
        }

        /// The kinds that are a transfer's last.
        package static let ends: [Kind] = [.succeeded, .failed, .canceled, .removed]

        /// Whether the kind alone is enough for a client that knows its transfers.
        package var isBrief: Bool {
            switch self {
            case .submitted, .suspended, .resumed, .canceled, .removed: true
            case .succeeded, .failed, .running, .waiting, .progress, .changed, .unknown: false
            }
        }
    }
}

/// Selects the events for a listener.
package struct EventSubscription: Hashable, Sendable {
    /// Durable events after this number are delivered first. Nil starts with new events.
    package var after: Int64?
    package var session: SessionID?
    /// Only these transfers. Nil means all.
    package var ids: Set<TransferID>?
    /// Seconds between progress events of running transfers, 0.05 to 60. Nil for none.
    package var progressInterval: Double?
    /// Whether the stream finishes once every transfer of `ids` has finished.
    package var endsWithTransfers = false
    /// Whether only a transfer's last events are delivered: completion or removal.
    package var endsAlone = false
    /// Whether `succeeded` events omit their transfers.
    package var omitsSuccesses = false
    /// Whether `changed` events are omitted, as for a client that makes the changes itself.
    package var omitsChanges = false

    package init() {}
}

/// Retention of unacknowledged durable events, described for clients in `docs/control-api.md#kept-events`.
package struct EventRetention: Hashable, Sendable {
    /// Seconds for which every event waits for acknowledgement.
    package var lifetime = 30.0 * 86_400
    /// Maximum number of events of a session without an app. Commands are short-lived, and none acknowledges for the
    /// others.
    package var mostUnacknowledged = 10_000
    /// Seconds for which such a session's events outlive their transfer, so that a slow listener still learns the
    /// outcome.
    package var afterRemoval = 3600.0

    package init() {}

    /// The limits of one session.
    ///
    /// - Parameter isAcknowledged: Whether an app is registered for the session. It fetches its events when it returns.
    package func limits(isAcknowledged: Bool, now: Date) -> Limits {
        Limits(
            oldest: now.addingTimeInterval(-lifetime), most: isAcknowledged ? nil : mostUnacknowledged,
            oldestOfRemoved: isAcknowledged ? nil : now.addingTimeInterval(-afterRemoval))
    }

    /// The limits of one session's events.
    package struct Limits: Hashable, Sendable {
        /// Earlier events are discarded.
        package let oldest: Date
        /// Maximum number of events to keep. Older ones are discarded. Nil keeps all.
        package let most: Int?
        /// Earlier events of removed transfers are discarded, except the removal itself. Nil keeps them.
        package let oldestOfRemoved: Date?
    }
}
