package import FerryCore

/// Bytes and time spent by one attempt.
package struct AttemptCost: Hashable, Sendable {
    /// Body bytes received from servers.
    package var spent: Int64
    /// New bytes on disk. Bytes fetched again do not count.
    package var gained: Int64
    /// Bytes of ``gained`` that the server of an upload has stored.
    package var uploaded: Int64 = 0
    /// The largest number of bytes ever on disk.
    package var frontier: Int64
    /// Number of restarts from byte 0.
    package var starts: Int
    /// Duration in seconds, without sleep.
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

/// Limits the bytes that a transfer may waste since its user last started it.
///
/// Otherwise a server that interrupts every response, or lies about its content, would be requested for the transfer's
/// whole life. An attempt that resumes where the last one ended wastes nothing, so an unreliable network alone does not
/// use up the budget.
package struct TransferBudget: Hashable, Codable, Sendable {
    /// Allowed wasted bytes per byte that the transfer once had on disk, or that its caller expects.
    ///
    /// The server's stated length is not used, since it may be any number.
    package static let factor: Int64 = 10
    /// Allowed wasted bytes however small the file is.
    package static let slack: Int64 = 64 << 20
    /// Allowed restarts from byte 0.
    package static let starts = 100

    package private(set) var wasted: Int64 = 0
    package private(set) var frontier: Int64 = 0
    package private(set) var starts = 0

    package init() {}

    /// Adds the cost of an attempt.
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

    /// Clamps the counters, with room for further attempts, whatever the journal contained.
    mutating func clampCounts() {
        let policy = OutOfRangePolicy<Never>.clamp
        policy.apply(.bytes, to: &wasted)
        policy.apply(.bytes, to: &frontier)
        policy.apply(.count, to: &starts)
    }

    /// The failure of a transfer that has used up its budget, otherwise nil.
    ///
    /// - Parameter expectedSize: The size given by the caller.
    package func fault(expectedSize: Int64?, url: String) -> ServiceError? {
        let (product, overflows) = max(frontier, expectedSize ?? 0).multipliedReportingOverflow(by: Self.factor)
        let allowed = overflows ? Int64.max : Self.sum(product, Self.slack)
        guard wasted > allowed || starts > Self.starts else { return nil }
        let shown = (try? HTTPURL(parsing: url))?.redacted ?? "this URL"
        let cost =
            starts > Self.starts
            ? "restarted \(starts) times" : "wasted \(wasted) bytes"
        return ServiceError(
            .budgetExceeded,
            "The server of \(shown) \(cost), with at most \(frontier) bytes of the file received; give another URL "
                + "or a mirror, give the file's digest with --checksum, or retry to continue anyway.",
            details: ErrorDetails(url: shown))
    }

    private static func sum(_ one: Int64, _ other: Int64) -> Int64 {
        let (sum, overflows) = one.addingReportingOverflow(other)
        return overflows ? .max : sum
    }
}

/// Limits one attempt, so that whatever follows has a delay and counts as a failure.
///
/// Within an attempt requests follow each other immediately. Without a limit, a server that never sends the whole file
/// would be requested in a tight loop.
package struct AttemptLimits: Hashable, Sendable {
    /// Maximum number of requests per attempt. Each ``FailureLedger/progress`` new bytes allow one more.
    package static let requests = 16

    private var requests = 0
    private var hasStarted = false

    package init() {}

    /// Counts a request.
    ///
    /// - Parameter gained: New bytes of the attempt so far.
    /// - Returns: False if the attempt must end instead.
    package mutating func takesRequest(gained: Int64) -> Bool {
        requests += 1
        return Int64(requests) <= Int64(Self.requests) + max(0, gained) / FailureLedger.progress
    }

    /// Counts a body stored from byte 0.
    ///
    /// - Returns: False for the second one: the attempt must end instead.
    package mutating func takesStart() -> Bool {
        defer { hasStarted = true }
        return !hasStarted
    }
}
