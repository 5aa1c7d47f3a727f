/// Some of the durable events, as a listener is told.
package struct EventPage: Sendable {
    /// Events that are read whole for one page.
    package static let wholeEvents = 256
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
