import FerryCore

/// Whether the worker's machine can run jobs. While it cannot, the worker claims nothing, and the fleet's status says why.
struct WorkerHealth: Hashable, Sendable {
    /// The problem that the last check of the spool and the stores found, or `nil`.
    private(set) var found: String?
    /// The last failure of a job that this machine caused, until the next success or the end of the rest.
    private(set) var failure: String?
    private(set) var restUntil = -Double.infinity
    private var failures = 0

    /// Rests after failures in a row: 5 s to 10 min.
    private static let rests = Backoff(first: 5, longest: 600)

    /// Why the worker claims nothing now, or `nil`.
    func condition(at now: Double) -> String? { found ?? (now < restUntil ? failure : nil) }

    /// Takes the result of a check. Returns whether it is another one than before.
    mutating func checked(_ condition: String?) -> Bool {
        defer { found = condition }
        return condition != found
    }

    /// A job failed because of this machine. Returns the condition if the worker had none.
    mutating func failed(_ error: ServiceError, at now: Double) -> String? {
        let isNew = condition(at: now) == nil
        // Failures of jobs that ran at the same time count once.
        if now >= restUntil {
            failures += 1
            restUntil = now + Self.rests.delay(afterFailures: failures)
        }
        failure = error.message
        return isNew ? error.message : nil
    }

    /// Whether nothing has succeeded since the last failure.
    var isResting: Bool { failures > 0 }

    mutating func worked() { failures = 0 }
}
