package import FerryCore

/// Queues whose beginning alone is in memory, and the positions at which to continue reading the journal.
///
/// A queue may have several sources, which are read one at a time. A transfer changed during a reading may differ from
/// what was read, so it is left to the next reading.
package struct Backlog<Source: Hashable & Sendable>: Sendable {
    /// A range to read from the journal.
    package struct Reading: Hashable, Sendable {
        package let source: Source
        /// Only transfers after this one. Nil means all.
        package let after: TransferID?
        /// The last one to read. Later ones are already in memory.
        package let through: TransferID

        package init(source: Source, after: TransferID?, through: TransferID) {
            self.source = source
            self.after = after
            self.through = through
        }
    }

    /// The transfers to add to memory.
    package struct Taken: Sendable {
        package let ids: [TransferID]
        package let key: QueueKey
    }

    private struct Rest {
        var key: QueueKey
        var after: TransferID?
        var through: TransferID
    }

    private var rests: [Source: Rest] = [:]
    private var reading: Source?
    /// Transfers changed since the reading began.
    private var touched: Set<TransferID> = []
    /// Where the entries begin that its source gained since the reading began. The reading may have missed them.
    private var gained: [TransferID?] = []

    package init() {}

    package var isEmpty: Bool { rests.isEmpty }

    /// Records that a source's transfers after an id, and up to another, are to be read.
    ///
    /// Two lists stored at once may be added in either order, so the ranges of a source are joined. A transfer in memory
    /// twice counts once.
    package mutating func add(_ source: Source, _ key: QueueKey, after: TransferID?, through: TransferID) {
        if reading == source { gained.append(after) }
        if let rest = rests[source] {
            rests[source]?.after = Self.earlier(rest.after, after)
            rests[source]?.through = max(rest.through, through)
        } else {
            rests[source] = Rest(key: key, after: after, through: through)
        }
    }

    private static func earlier(_ one: TransferID?, _ other: TransferID?) -> TransferID? {
        guard let one, let other else { return nil }
        return min(one, other)
    }

    /// Begins a reading for a queue that is running short. Returns nil if none is, or while a reading is in progress.
    package mutating func begin(isShort: (QueueKey) -> Bool) -> Reading? {
        guard reading == nil, let (source, rest) = rests.first(where: { isShort($0.value.key) }) else { return nil }
        reading = source
        return Reading(source: source, after: rest.after, through: rest.through)
    }

    /// Accepts the transfers read, up to the first that was changed meanwhile.
    ///
    /// - Parameter isEnd: Whether the source has no more.
    package mutating func end(_ result: Reading, _ ids: [TransferID], isEnd: Bool) -> Taken? {
        defer { abandon() }
        guard let rest = rests[result.source] else { return nil }
        let taken = ids.prefix { !touched.contains($0) }
        let isWhole = taken.count == ids.count
        if isWhole, isEnd, gained.isEmpty {
            rests[result.source] = nil
        } else {
            let reached = isWhole && isEnd ? result.through : taken.last ?? result.after
            rests[result.source]?.after = gained.reduce(reached, Self.earlier)
        }
        return Taken(ids: Array(taken), key: rest.key)
    }

    /// Ends a reading without a result.
    package mutating func abandon() {
        reading = nil
        touched = []
        gained = []
    }

    /// Records that a transfer was changed.
    package mutating func touch(_ id: TransferID) {
        if reading != nil { touched.insert(id) }
    }

    /// Changes the keys of queues.
    package mutating func change(_ key: (Source, QueueKey) -> QueueKey) {
        for (source, rest) in rests { rests[source]?.key = key(source, rest.key) }
    }

    /// The sources that match a condition.
    package func sources(where isMeant: (Source) -> Bool) -> [Source] { rests.keys.filter(isMeant) }
}
