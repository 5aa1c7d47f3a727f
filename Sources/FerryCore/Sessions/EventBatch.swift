// Ferry: FerryCore
// Durable events of one kind, in short.

/// Durable events of one kind that followed each other, in short: a client that knows its transfers needs no more of them.
package struct EventBatch: Hashable, Codable, Sendable {
    package var kind: TransferEvent.Kind
    /// Number of the last of them.
    package var through: Int64
    package var ids: [TransferID]

    package init(kind: TransferEvent.Kind, through: Int64, ids: [TransferID]) {
        self.kind = kind
        self.through = through
        self.ids = ids
    }
}
