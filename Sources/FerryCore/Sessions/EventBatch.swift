// Ferry: FerryCore
// Durable events of one kind, in short.

/// Durable events of one kind that followed each other, in short: a client that knows its transfers needs no more of them.
package struct EventBatch: Hashable, Sendable {
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

extension EventBatch: Codable {
    private enum CodingKeys: String, CodingKey { case kind, through, ids }

    package init(from decoder: any Decoder) throws {
        let box = try decoder.container(keyedBy: CodingKeys.self)
        kind = try box.decode(TransferEvent.Kind.self, forKey: .kind)
        through = try box.decode(Int64.self, forKey: .through)
        ids = try box.decodeIDs(forKey: .ids)
    }

    package func encode(to encoder: any Encoder) throws {
        var box = encoder.container(keyedBy: CodingKeys.self)
        try box.encode(kind, forKey: .kind)
        try box.encode(through, forKey: .through)
        try box.encode(TransferIDRuns(ids), forKey: .ids)
    }
}
