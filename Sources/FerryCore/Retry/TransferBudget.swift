/// What one attempt received, and what of it was new.
package struct AttemptCost: Hashable, Sendable {
    /// Body bytes that servers sent.
    package var spent: Int64
    /// Bytes on disk beyond the most that were there before: bytes that are fetched again are no gain.
    package var gained: Int64
    /// Bytes of ``gained`` that the server of an upload has.
    package var uploaded: Int64 = 0
    /// The most bytes that were on disk at one time.
    package var frontier: Int64
    /// How often bytes were given up for a start from 0.
    package var starts: Int
    /// How long it took, without the machine's sleep.
    package var seconds: Double
    /// Whether all bytes of the file were on disk.
    package var isWhole: Bool

    package init(
        spent: Int64 = 0, gained: Int64 = 0, frontier: Int64 = 0, starts: Int = 0, seconds: Double = 0,
        isWhole: Bool = false
    ) {
        self.spent = spent
        self.gained = gained
        self.frontier = frontier
        self.starts = starts
        self.seconds = seconds
        self.isWhole = isWhole
    }

    var wasted: Int64 { max(0, spent &- gained) }
}

/// What a transfer has received in vain since its user last started it, and when that is too much.
///
/// A server that cuts each answer, or lies about what it sends, would otherwise be asked for as long as the transfer may
/// live. An attempt that goes on where the last one ended wastes nothing, so a bad network alone does not use the budget up.
package struct TransferBudget: Hashable, Codable, Sendable {
    /// Bytes that may be wasted for each byte that the transfer once had on disk, or that its caller expects.
    ///
    /// The length that a server states has no say: it may be any number.
    package static let factor: Int64 = 10
    /// Bytes that may be wasted however small the file is.
    package static let slack: Int64 = 64 << 20
    /// Starts from 0.
    package static let starts = 100

    package private(set) var wasted: Int64 = 0
    package private(set) var frontier: Int64 = 0
    package private(set) var starts = 0

    package init() {}

    /// Adds what an attempt cost.
    package mutating func add(_ cost: AttemptCost) {
        wasted = Self.sum(wasted, cost.wasted)
        frontier = max(frontier, cost.frontier)
        starts += max(0, cost.starts)
    }

    /// This budget after an attempt.
    package func adding(_ cost: AttemptCost) -> TransferBudget {
        var budget = self
        budget.add(cost)
        return budget
    }

    /// Brings what was counted into ranges that leave room for further attempts, whatever the journal had.
    mutating func clampCounts() {
        let care = OutOfRangePolicy<Never>.clamp
        care.apply(.bytes, to: &wasted)
        care.apply(.bytes, to: &frontier)
        care.apply(.count, to: &starts)
    }

    /// The failure of a transfer that has used its budget up; nil while it has not.
    ///
    /// - Parameter expectedSize: what the caller said.
    package func fault(expectedSize: Int64?, url: String) -> ServiceError? {
        let (product, overflows) = max(frontier, expectedSize ?? 0).multipliedReportingOverflow(by: Self.factor)
        let allowed = overflows ? Int64.max : Self.sum(product, Self.slack)
        guard wasted > allowed || starts > Self.starts else { return nil }
        let shown = (try? HTTPURL(parsing: url))?.redacted ?? "this URL"
        let cost =
            starts > Self.starts
            ? "began \(starts) times from the start" : "cost \(wasted) bytes that brought the file no further"
        return ServiceError(
            .budgetExceeded,
            "The server of \(shown) \(cost), with at most \(frontier) bytes of the file there; give another address "
                + "or a mirror, or retry to go on as before.",
            details: ErrorDetails(url: shown))
    }

    private static func sum(_ one: Int64, _ other: Int64) -> Int64 {
        let (sum, overflows) = one.addingReportingOverflow(other)
        return overflows ? .max : sum
    }
}

/// What one attempt may do before it ends, so that whatever follows has a delay and counts as a failure.
///
/// Within an attempt requests follow each other at once. Without a limit, a server whose answers never lead to the whole
/// file would be asked without pause.
package struct AttemptLimits: Hashable, Sendable {
    /// Requests of any attempt; each ``FailureLedger/progress`` bytes that are gained allow one more.
    package static let requests = 16

    private var requests = 0
    private var hasStarted = false

    package init() {}

    /// Counts a request.
    ///
    /// - Parameter gained: bytes that the attempt has gained so far.
    /// - Returns: false if the attempt ends in its place.
    package mutating func takesRequest(gained: Int64) -> Bool {
        requests += 1
        return Int64(requests) <= Int64(Self.requests) + max(0, gained) / FailureLedger.progress
    }

    /// Counts a body that is stored from 0.
    ///
    /// - Returns: false if it is the second one: the attempt ends in its place.
    package mutating func takesStart() -> Bool {
        defer { hasStarted = true }
        return !hasStarted
    }
}
