import DequeModule

/// A dictionary that forgets the oldest entry when it is full. Each call takes the same time, however many entries there are.
struct BoundedMap<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        var value: Value
        let turn: UInt64
    }

    private var entries: [Key: Entry] = [:]
    /// The keys in the order in which they came. A key that was removed stays in it until it is the oldest, or until half of the
    /// line is of such keys; its turn tells it from the same key that came again.
    private var line: Deque<(key: Key, turn: UInt64)> = []
    private var turn: UInt64 = 0
    private let most: Int

    init(most: Int) { self.most = most }

    var count: Int { entries.count }

    subscript(_ key: Key) -> Value? {
        get { entries[key]?.value }
        set {
            guard let newValue else {
                entries[key] = nil
                shorten()
                return
            }
            guard entries[key] == nil else {
                entries[key]?.value = newValue
                return
            }
            turn += 1
            entries[key] = Entry(value: newValue, turn: turn)
            line.append((key, turn))
            if entries.count > most { removeOldest() }
        }
    }

    private mutating func removeOldest() {
        while let oldest = line.popFirst() {
            guard entries[oldest.key]?.turn == oldest.turn else { continue }
            entries[oldest.key] = nil
            return
        }
    }

    private mutating func shorten() {
        guard line.count > 2 * entries.count + 16 else { return }
        line.removeAll { entries[$0.key]?.turn != $0.turn }
    }
}
