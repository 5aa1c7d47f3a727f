/// The end of a worker: when it gives back what it has, and when it exits.
struct AgentDrain: Hashable, Sendable {
    /// When unfinished jobs go back, or `nil` unless draining.
    private(set) var deadline: Double?
    /// When the process exits whatever is unfinished, or `nil` unless it was stopped.
    private(set) var exit: Double?

    /// Seconds after the patience in which the queue should have learned the returns.
    private static let exitPatience = 5.0

    /// Asked again, the earlier deadline counts. Returns whether this is the first time.
    mutating func begin(patience: Double, at now: Double) -> Bool {
        defer { deadline = min(deadline ?? .infinity, now + patience) }
        return deadline == nil
    }

    mutating func stop(patience: Double, at now: Double) {
        exit = min(exit ?? .infinity, now + patience + Self.exitPatience)
    }
}
