package import FerryFoundation

/// Some of the durable events, as a listener is told.
package struct EventPage: Sendable {
    /// Events that are read whole for one page: about as many as a socket takes at once.
    package static let wholeEvents = 64
    /// Events that are read in short for one page.
    package static let briefEvents = 4096

    package let signals: [SessionSignal]
    /// Number of the last event; nil if there is none.
    package let through: Int64?
    /// Whether there were no more.
    package let isLast: Bool

    package init(signals: [SessionSignal], through: Int64?, isLast: Bool) {
        self.signals = signals
        self.through = through
        self.isLast = isLast
    }
}

/// A durable event in short.
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

/// Durable events of one kind and session whose numbers follow each other.
package struct EventRun: Hashable, Sendable {
    package let kind: TransferEvent.Kind
    package let session: SessionID
    package let at: Date
    /// Number of the first of them.
    package let first: Int64
    package let ids: [TransferID]

    package init(kind: TransferEvent.Kind, session: SessionID, at: Date, first: Int64, ids: [TransferID]) {
        self.kind = kind
        self.session = session
        self.at = at
        self.first = first
        self.ids = ids
    }

    /// Number of the last of them; one below the first where there are none.
    package var last: Int64 { first + Int64(ids.count) - 1 }
}
