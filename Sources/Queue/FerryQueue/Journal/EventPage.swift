package import FerryCore
package import FerryFoundation

/// A page of durable events for one listener.
package struct EventPage: Sendable {
    /// Maximum number of full events per page, about as many as a socket takes at once.
    package static let wholeEvents = 64
    /// Maximum number of event heads per page.
    package static let briefEvents = 4096

    package let signals: [SessionSignal]
    /// Number of the last event, or nil if there is none.
    package let through: Int64?
    /// Whether no events follow.
    package let isLast: Bool

    package init(signals: [SessionSignal], through: Int64?, isLast: Bool) {
        self.signals = signals
        self.through = through
        self.isLast = isLast
    }
}

/// A durable event without its transfer.
package struct EventHead: Hashable, Sendable {
    package let number: Int64
    package let id: TransferID
    package let kind: TransferEvent.Kind

    package init(number: Int64, id: TransferID, kind: TransferEvent.Kind) {
        self.number = number
        self.id = id
        self.kind = kind
    }
}

/// Consecutive durable events of one kind and session.
package struct EventRun: Hashable, Sendable {
    package let kind: TransferEvent.Kind
    package let session: SessionID
    package let at: Date
    /// Number of the first event.
    package let first: Int64
    package let ids: [TransferID]

    package init(kind: TransferEvent.Kind, session: SessionID, at: Date, first: Int64, ids: [TransferID]) {
        self.kind = kind
        self.session = session
        self.at = at
        self.first = first
        self.ids = ids
    }

    /// Number of the last event. For an empty run, one below the first.
    package var last: Int64 { first + Int64(ids.count) - 1 }

    /// The events, without snapshots of their transfers.
    package var events: [TransferEvent] {
        ids.enumerated().map { place, id in
            TransferEvent(
                number: first + Int64(place), kind: kind, at: at, id: id, session: session, transfer: nil)
        }
    }
}
