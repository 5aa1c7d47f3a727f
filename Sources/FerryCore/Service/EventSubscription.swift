// Ferry: FerryCore
// Which events a listener wants.

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

    package init() {}
}
