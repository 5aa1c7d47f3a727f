import FerryCore

/// Jobs about which the queue must be told something. They stay here until it has answered.
struct AgentOutbox: Hashable, Sendable {
    /// Jobs with a conclusion.
    private(set) var concluded: Set<JobToken> = []
    /// Jobs with an intent.
    private(set) var intending: Set<JobToken> = []
    /// Jobs whose bytes have arrived.
    private(set) var landed: Set<JobToken> = []
    /// Jobs about which the queue is told nothing before these times: it has refused something about them.
    private var postponed: [JobToken: Double] = [:]
    /// Origins whose servers asked for a pause, and its seconds.
    private(set) var holds: [Origin: Double] = [:]
    /// When the next progress is due.
    private(set) var progressDue = Double.infinity

    /// Maximum number of jobs in one call.
    static let mostInCall = 1000
    /// Seconds until something that the queue has refused is told again.
    private static let refusalDelay = 30.0
    /// Seconds between two reports of progress.
    private static let progressInterval = 10.0

    mutating func add(_ token: JobToken) { concluded.insert(token) }
    mutating func intend(_ token: JobToken) { intending.insert(token) }
    mutating func land(_ token: JobToken) { landed.insert(token) }
    mutating func hold(_ origin: Origin, seconds: Double) { holds[origin] = max(holds[origin] ?? 0, seconds) }

    /// Says nothing more about these jobs for a while.
    mutating func postpone(_ tokens: [JobToken], at now: Double) {
        for token in tokens { postponed[token] = now + Self.refusalDelay }
    }

    /// Whether the queue may be told something about a job now.
    func mayTell(_ token: JobToken, at now: Double) -> Bool { postponed[token].map { $0 <= now } ?? true }

    /// The next time at which a postponed job may be mentioned again.
    func nextPostponed(after now: Double) -> Double { postponed.values.filter { $0 > now }.min() ?? .infinity }

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
        postponed[token] = nil
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
