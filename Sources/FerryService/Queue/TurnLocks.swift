// Ferry: FerryService
// One action at a time on one transfer.

/// Lets actions on the same key follow each other; those on different keys do not wait. Owned by one actor.
struct TurnLocks<Key: Hashable & Sendable>: Sendable {
    private var waiting: [Key: [CheckedContinuation<Void, Never>]] = [:]

    /// Whether the turn was free, and is taken.
    mutating func take(_ key: Key) -> Bool {
        guard waiting[key] == nil else { return false }
        waiting[key] = []
        return true
    }

    func isTaken(_ key: Key) -> Bool { waiting[key] != nil }

    mutating func wait(_ key: Key, _ continuation: CheckedContinuation<Void, Never>) {
        waiting[key, default: []].append(continuation)
    }

    /// Hands the turn to whoever waits longest.
    mutating func leave(_ key: Key) {
        guard var line = waiting[key] else { return }
        guard !line.isEmpty else {
            waiting[key] = nil
            return
        }
        let next = line.removeFirst()
        waiting[key] = line
        next.resume()
    }
}
