/// A dictionary that forgets the oldest entry when it is full.
struct BoundedMap<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private var values: [Key: Value] = [:]
    /// The keys, the oldest first.
    private var line: [Key] = []
    private let most: Int

    init(most: Int) { self.most = most }

    var count: Int { values.count }

    subscript(_ key: Key) -> Value? {
        get { values[key] }
        set {
            guard let newValue else {
                if values.removeValue(forKey: key) != nil { line.removeAll { $0 == key } }
                return
            }
            guard values.updateValue(newValue, forKey: key) == nil else { return }
            line.append(key)
            if line.count > most { values[line.removeFirst()] = nil }
        }
    }
}
