// Ferry: FerryStore
// Some of the durable events, as a listener is told.

package import FerryCore

/// Some of the durable events, as a listener is told.
package struct EventPage: Sendable {
    /// Events that are read whole for one page.
    static let wholeEvents = 256
    /// Events that are read in short for one page.
    static let briefEvents = 4096

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
