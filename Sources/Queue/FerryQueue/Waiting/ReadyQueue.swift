package import FerryCore

/// Transfers ready for a slot, in scheduling order (docs/behaviour/transfers.md#L5).
///
/// Higher priority first, then round-robin among sessions, then the session's own order, otherwise the oldest. Every
/// eighth start goes to the oldest of all, so that no transfer waits forever. Limits are the caller's decision.
package struct ReadyQueue: Sendable {
    private var lines: [QueueKey: ReadyList] = [:]
    /// Sequence number of each session's last start. A session without a start comes first.
    private var lastStart: [SessionID: UInt64] = [:]
    private var starts: UInt64 = 0
    package private(set) var count = 0
    /// The sessions' stored orders.
    private var ranks: [SessionID: [TransferID: Int]] = [:]

    package init() {}

    package mutating func insert(_ id: TransferID, _ key: QueueKey) { insert(CollectionOfOne(id), key) }

    package mutating func insert(_ ids: some Collection<TransferID>, _ key: QueueKey) {
        guard !ids.isEmpty else { return }
        // Taken out of the dictionary while it is changed, so that the list is not copied.
        var line = lines.removeValue(forKey: key) ?? ReadyList(ranks: ranks[key.session] ?? [:])
        count -= line.count
        for id in ids { line.insert(id) }
        count += line.count
        lines[key] = line
    }

    /// Sets the order of a session's transfers. Unlisted transfers follow, oldest first.
    package mutating func order(_ session: SessionID, _ ids: [TransferID]) {
        var order: [TransferID: Int] = [:]
        for (rank, id) in ids.enumerated() { order[id] = rank }
        ranks[session] = order.isEmpty ? nil : order
        for key in lines.keys where key.session == session { lines[key]?.order(by: order) }
    }

    @discardableResult
    package mutating func remove(_ id: TransferID, _ key: QueueKey) -> Bool {
        guard lines[key]?.remove(id) == true else { return false }
        count -= 1
        if lines[key]?.isEmpty == true { lines[key] = nil }
        return true
    }

    /// Number of transfers waiting for an origin.
    package func waiting(for origin: String) -> Int {
        lines.reduce(0) { $0 + ($1.key.origin == origin ? $1.value.count : 0) }
    }

    /// Number of transfers with a key.
    package func waiting(with key: QueueKey) -> Int { lines[key]?.count ?? 0 }

    /// The keys of the waiting transfers.
    package var keys: some Collection<QueueKey> { lines.keys }

    /// The oldest transfers with a key, up to `limit`.
    package func waiting(with key: QueueKey, limit: Int) -> [TransferID] { lines[key]?.prefix(limit) ?? [] }

    /// Removes and returns all transfers with a key.
    package mutating func removeAll(with key: QueueKey) -> [TransferID] {
        guard let line = lines.removeValue(forKey: key) else { return [] }
        count -= line.count
        return line.prefix(line.count)
    }

    /// Removes the transfers of a session among `ids`.
    @discardableResult
    package mutating func remove(
        _ ids: Set<TransferID>, of session: SessionID
    ) -> [(id: TransferID, key: QueueKey)] {
        var removed: [(id: TransferID, key: QueueKey)] = []
        for key in lines.keys.filter({ $0.session == session }) {
            guard var line = lines.removeValue(forKey: key) else { continue }
            let gone = line.remove(ids)
            count -= gone.count
            if !line.isEmpty { lines[key] = line }
            removed += gone.map { ($0, key) }
        }
        return removed
    }

    /// Removes and returns the transfer for the next slot, or nil if no waiting transfer may run.
    ///
    /// - Parameter isInOrder: Whether priority and order alone determine a session's next transfer.
    package mutating func next(
        isInOrder: (SessionID) -> Bool = { _ in false }, mayRun: (QueueKey) -> Bool
    ) -> (id: TransferID, key: QueueKey)? {
        let isOldestsTurn = starts % 8 == 7
        guard var best = first(mayRun, { isOldestsTurn ? $0.id < $1.id : comes($0, before: $1) }) else { return nil }
        // The session is chosen before the transfer, so that neither choice depends on the other sessions.
        let session = best.key.session
        let isByAge = isOldestsTurn && !isInOrder(session)
        if !isByAge, isOldestsTurn || ranks[session] != nil {
            best = first({ $0.session == session && mayRun($0) }, precedes) ?? best
        }
        remove(best.id, best.key)
        starts += 1
        lastStart[session] = starts
        return best
    }

    private typealias Candidate = (id: TransferID, key: QueueKey)

    /// The first eligible transfer by an order.
    private func first(_ mayRun: (QueueKey) -> Bool, _ precedes: (Candidate, Candidate) -> Bool) -> Candidate? {
        var best: Candidate?
        for (key, line) in lines {
            guard let id = line.first, mayRun(key) else { continue }
            if let current = best, !precedes((id, key), current) { continue }
            best = (id, key)
        }
        return best
    }

    private func comes(_ one: Candidate, before other: Candidate) -> Bool {
        if one.key.priority != other.key.priority { return one.key.priority > other.key.priority }
        let turn = lastStart[one.key.session] ?? 0
        let otherTurn = lastStart[other.key.session] ?? 0
        return turn == otherTurn ? one.id < other.id : turn < otherTurn
    }

    /// Within one session.
    private func precedes(_ one: Candidate, _ other: Candidate) -> Bool {
        if one.key.priority != other.key.priority { return one.key.priority > other.key.priority }
        return lines[one.key]?.precedes(one.id, other.id) ?? (one.id < other.id)
    }
}
