import DequeModule

/// A dictionary with a maximum size, which evicts the oldest entry. Operations take amortized constant time.
struct BoundedMap<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        var value: Value
        let sequence: UInt64
    }

    private var entries: [Key: Entry] = [:]
    /// The keys in order of insertion. A removed key stays until it is the oldest, or until half of the deque are
    /// removed keys. `turn` tells it from the same key inserted again.
    private var line: Deque<(key: Key, sequence: UInt64)> = []
    private var sequence: UInt64 = 0
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
            sequence += 1
            entries[key] = Entry(value: newValue, sequence: sequence)
            line.append((key, sequence))
            if entries.count > most { removeOldest() }
        }
    }

    private mutating func removeOldest() {
        while let oldest = line.popFirst() {
            guard entries[oldest.key]?.sequence == oldest.sequence else { continue }
            entries[oldest.key] = nil
            return
        }
    }

    private mutating func shorten() {
        guard line.count > 2 * entries.count + 16 else { return }
        line.removeAll { entries[$0.key]?.sequence != $0.sequence }
    }
}
