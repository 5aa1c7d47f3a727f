import FerryCore

/// Jobs about which the queue must be told something. They stay here until it has answered.
struct AgentOutbox: Hashable, Sendable {
    /// Jobs with a conclusion.
    private(set) var concluded: Set<JobToken> = []
    /// Jobs with an intent.
    private(set) var intending: Set<JobToken> = []
    /// Jobs whose bytes have arrived.
    private(set) var landed: Set<JobToken> = []
    /// Origins whose servers asked for a pause, and its seconds.
    private(set) var holds: [Origin: Double] = [:]
    /// When the next progress is due.
    private(set) var progressDue = Double.infinity

    /// Maximum number of jobs in one call.
    static let mostInCall = 1000
    /// Seconds between two reports of progress.
    private static let progressInterval = 10.0

    mutating func add(_ token: JobToken) { concluded.insert(token) }
    mutating func intend(_ token: JobToken) { intending.insert(token) }
    mutating func land(_ token: JobToken) { landed.insert(token) }
    mutating func hold(_ origin: Origin, seconds: Double) { holds[origin] = max(holds[origin] ?? 0, seconds) }

    /// Removes and returns one hold.
    mutating func takeHold() -> (origin: Origin, seconds: Double)? {
        guard let next = holds.min(by: { $0.key.description < $1.key.description }) else { return nil }
        holds[next.key] = nil
        return (next.key, next.value)
    }

    mutating func intended(_ token: JobToken) { intending.remove(token) }
    mutating func hasLanded(_ token: JobToken) { landed.remove(token) }

    mutating func forget(_ token: JobToken) {
        concluded.remove(token)
        intending.remove(token)
        landed.remove(token)
    }

    /// Plans a report of progress while jobs run.
    mutating func planProgress(isAnyRunning: Bool, at now: Double) {
        if !isAnyRunning {
            progressDue = .infinity
        } else if progressDue == .infinity {
            progressDue = now + Self.progressInterval
        }
    }

    mutating func progressSent() { progressDue = .infinity }
}
