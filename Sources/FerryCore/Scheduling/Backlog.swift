/// Lines of which only the first are in memory: says which is to be read on, and from where.
///
/// A line may be gathered from several sources. One source is read at a time. A transfer that is acted upon
/// meanwhile may no longer be as it was read, so that it is left to the next reading.
package struct Backlog<Source: Hashable & Sendable>: Sendable {
    /// What is to be read.
    package struct Reading: Hashable, Sendable {
        package let source: Source
        /// Only transfers after this one; nil is all.
        package let after: TransferID?
        /// The last that may be read: later ones are in memory.
        package let through: TransferID

        package init(source: Source, after: TransferID?, through: TransferID) {
            self.source = source
            self.after = after
            self.through = through
        }
    }

    /// Who is in memory from here on.
    package struct Taken: Sendable {
        package let ids: [TransferID]
        package let key: QueueKey
        /// Whether there may be more to be had at once.
        package let continues: Bool
    }

    private struct Rest {
        var key: QueueKey
        var after: TransferID?
        var through: TransferID
    }

    private var rests: [Source: Rest] = [:]
    private var reading: Source?
    /// Transfers that were acted upon since the reading began.
    private var touched: Set<TransferID> = []

    package init() {}

    package var isEmpty: Bool { rests.isEmpty }

    /// Notes that the transfers of a source after an id, and up to another, are to be read.
    ///
    /// What is to be read of the source already comes first; a transfer that is in memory twice counts once.
    package mutating func add(_ source: Source, _ key: QueueKey, after: TransferID?, through: TransferID) {
        if rests[source] != nil {
            rests[source]?.through = through
        } else {
            rests[source] = Rest(key: key, after: after, through: through)
        }
    }

    /// Begins to read on where a line is short; nil if none is, or if the last reading has not ended.
    package mutating func begin(isShort: (QueueKey) -> Bool) -> Reading? {
        guard reading == nil, let (source, rest) = rests.first(where: { isShort($0.value.key) }) else { return nil }
        reading = source
        touched = []
        return Reading(source: source, after: rest.after, through: rest.through)
    }

    /// Takes what was read, up to the first that is being acted upon or was meanwhile.
    ///
    /// - Parameter isEnd: whether the source has no more.
    package mutating func end(
        _ result: Reading, _ ids: [TransferID], isEnd: Bool, isBusy: (TransferID) -> Bool
    ) -> Taken? {
        guard let rest = rests[result.source] else {
            reading = nil
            return nil
        }
        let taken = ids.prefix { !isBusy($0) && !touched.contains($0) }
        let isWhole = taken.count == ids.count
        // Later ones may have come meanwhile.
        if isWhole, isEnd, rest.through == result.through {
            rests[result.source] = nil
        } else if isWhole, isEnd {
            rests[result.source]?.after = result.through
        } else if let last = taken.last {
            rests[result.source]?.after = last
        }
        let continues = !taken.isEmpty || isWhole || !isBusy(ids[taken.count])
        abandon()
        return Taken(ids: Array(taken), key: rest.key, continues: continues)
    }

    /// Ends a reading without a result.
    package mutating func abandon() {
        reading = nil
        touched = []
    }

    /// Notes that a transfer was acted upon.
    package mutating func touch(_ id: TransferID) {
        if reading != nil { touched.insert(id) }
    }

    /// Gives lines another key.
    package mutating func change(_ key: (Source, QueueKey) -> QueueKey) {
        for (source, rest) in rests { rests[source]?.key = key(source, rest.key) }
    }

    /// The sources for which a condition holds.
    package func sources(where isMeant: (Source) -> Bool) -> [Source] { rests.keys.filter(isMeant) }
}
