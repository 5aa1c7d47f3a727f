// Ferry: FerryCore
// Which waiting transfer gets the next slot.

/// Transfers that could run, and the order in which they get slots (spec L5).
///
/// Higher priority first, then sessions in turn, then the oldest; every eighth start goes to the oldest of all, so that nobody
/// waits for ever. Decides nothing about limits: those come as a question.
package struct ReadyQueue: Sendable {
    private var lines: [QueueKey: WaitingLine] = [:]
    /// When each session last got a slot; a session that never did comes first.
    private var lastStart: [SessionID: UInt64] = [:]
    private var starts: UInt64 = 0
    package private(set) var count = 0

    package init() {}

    package mutating func insert(_ id: TransferID, _ key: QueueKey) {
        let before = lines[key]?.count ?? 0
        lines[key, default: WaitingLine()].insert(id)
        count += (lines[key]?.count ?? 0) - before
    }

    @discardableResult
    package mutating func remove(_ id: TransferID, _ key: QueueKey) -> Bool {
        guard lines[key]?.remove(id) == true else { return false }
        count -= 1
        if lines[key]?.isEmpty == true { lines[key] = nil }
        return true
    }

    /// How many wait for an origin.
    package func waiting(for origin: String) -> Int {
        lines.reduce(0) { $0 + ($1.key.origin == origin ? $1.value.count : 0) }
    }

    /// The keys of those who wait.
    package var keys: some Collection<QueueKey> { lines.keys }

    /// Up to so many who wait with a key, oldest first.
    package func waiting(with key: QueueKey, limit: Int) -> [TransferID] { lines[key]?.prefix(limit) ?? [] }

    /// Takes out all who wait with a key.
    package mutating func removeAll(with key: QueueKey) -> [TransferID] {
        guard let line = lines.removeValue(forKey: key) else { return [] }
        count -= line.count
        return line.prefix(line.count)
    }

    /// Takes out the transfer that gets the next slot; nil if nobody who waits may run.
    package mutating func next(mayRun: (QueueKey) -> Bool) -> (id: TransferID, key: QueueKey)? {
        var best: (id: TransferID, key: QueueKey)?
        let isOldestsTurn = starts % 8 == 7
        for (key, line) in lines {
            guard let id = line.first, mayRun(key) else { continue }
            guard let current = best else {
                best = (id, key)
                continue
            }
            if isOldestsTurn ? id < current.id : comes(id, key, before: current) { best = (id, key) }
        }
        guard let best else { return nil }
        remove(best.id, best.key)
        starts += 1
        lastStart[best.key.session] = starts
        return best
    }

    private func comes(_ id: TransferID, _ key: QueueKey, before other: (id: TransferID, key: QueueKey)) -> Bool {
        if key.priority != other.key.priority { return key.priority > other.key.priority }
        let turn = lastStart[key.session] ?? 0
        let otherTurn = lastStart[other.key.session] ?? 0
        return turn == otherTurn ? id < other.id : turn < otherTurn
    }
}
