import FerryCore

/// Whether the worker's machine can run jobs. While it cannot, the worker claims nothing, and the fleet's status says why.
struct WorkerHealth: Hashable, Sendable {
    /// The part of the machine that failed. A success of one says nothing about the other.
    enum Place: CaseIterable { case spool, store }

    /// Failures in a row, and the rest after the last one.
    private struct Rest: Hashable {
        var failures = 0
        var until = -Double.infinity
        var problem = ""
    }

    /// The problem that the last check of the spool and the stores found, or `nil`.
    private(set) var found: String?
    private var rests: [Place: Rest] = [:]

    /// Rests after failures in a row: 5 s to 10 min.
    private static let lengths = Backoff(first: 5, longest: 600)

    /// When the last rest ends.
    var restUntil: Double { rests.values.map(\.until).max() ?? -.infinity }

    /// Why the worker claims nothing now, or `nil`.
    func condition(at now: Double) -> String? {
        found ?? Place.allCases.compactMap { rests[$0] }.first { now < $0.until }?.problem
    }

    /// Takes the result of a check. Returns whether it is another one than before.
    mutating func checked(_ condition: String?) -> Bool {
        defer { found = condition }
        return condition != found
    }

    /// A job failed because of this machine. Returns the condition if the worker had none.
    mutating func failed(_ error: ServiceError, of place: Place, at now: Double) -> String? {
        let isNew = condition(at: now) == nil
        var rest = rests[place] ?? Rest()
        // Failures of jobs that ran at the same time count once.
        if now >= rest.until {
            rest.failures += 1
            rest.until = now + Self.lengths.delay(afterFailures: rest.failures)
        }
        rest.problem = error.message
        rests[place] = rest
        return isNew ? error.message : nil
    }

    /// Whether nothing has been delivered since a store failed.
    var doubtsStores: Bool { (rests[.store]?.failures ?? 0) > 0 }

    mutating func worked(_ place: Place) { rests[place]?.failures = 0 }
}
