package import FerryCore
package import FerryFoundation

/// Counts the failures of one transfer and decides about another attempt.
///
/// Stored in the journal, so a restart of the daemon does not reset it.
package struct FailureLedger: Hashable, Codable, Sendable {
    /// The decision after a failure.
    package enum Verdict: Hashable, Sendable {
        /// Another attempt after a delay in seconds.
        case retry(after: Double, ServiceError)
        /// Another attempt once the cause is gone. Nothing was counted.
        case wait(ServiceError)
        /// No further attempt.
        case fail(ServiceError)
    }

    /// New bytes after which the limits are reset.
    package static let progress: Int64 = 64 * 1024

    /// Failures since the last new byte on disk. They determine the delay.
    package private(set) var failuresSinceByte = 0
    /// Counted failures of both classes since the limits were reset.
    package private(set) var failures = 0
    package private(set) var doubtfulFailures = 0
    /// Failures with `server_busy`, if `statusRetries` limits them separately.
    package private(set) var statusFailures = 0
    /// New bytes since the first counted failure.
    package private(set) var bytesSinceFailure: Int64 = 0
    /// Stalled time since the first failure after the last progress, for `giveUpAfter`. Nil without a failure.
    private var inVain: StalledTime?
    /// Wasted bytes since the user last started the transfer. Nil for none.
    package private(set) var budget: TransferBudget?

    package init() {}

    /// Decides about a failure.
    ///
    /// - Parameters:
    ///   - retryAfter: The response's `Retry-After`. The delay is never shorter.
    ///   - random: A random number in 0..<1.
    package mutating func failed(
        _ error: ServiceError, retryAfter: RetryAfter? = nil, policy: RetryPolicy, now: Date, random: Double
    ) -> Verdict {
        var error = error
        let errorClass = policy.errorClass(of: error)
        if errorClass == .wait { return .wait(error) }
        if errorClass == .patient || errorClass == .doubtful { count(error, errorClass, policy: policy) }
        let hasGivenUp = policy.giveUpAfter > 0 && (inVain?.seconds ?? 0) >= policy.giveUpAfter
        if errorClass == .final || hasGivenUp || isOverLimit(error, errorClass, policy) { return .fail(error) }
        let delay = max(
            RetryDelay.seconds(afterFailures: failuresSinceByte, rule: policy.rule, random: random),
            retryAfter?.delay(random: random) ?? 0)
        var time = inVain ?? StalledTime()
        time.delays(for: delay, at: now)
        inVain = time
        error.details.nextAttemptAt = now.addingTimeInterval(delay)
        return .retry(after: delay, error)
    }

    /// Adds the cost of an attempt, before its failure.
    package mutating func attempted(_ cost: AttemptCost, now: Date) {
        if cost.gained > 0 { stored(bytes: cost.gained, isWhole: cost.isWhole) }
        inVain?.tried(for: cost.seconds, until: now)
        if cost.wasted > 0 || cost.starts > 0 || budget != nil { budget = (budget ?? TransferBudget()).adding(cost) }
    }

    /// Records new bytes on disk: any byte resets the delay, 64 KiB or the end of the file reset the limits.
    private mutating func stored(bytes: Int64, isWhole: Bool) {
        failuresSinceByte = 0
        inVain = nil
        guard failures > 0 else { return }
        bytesSinceFailure = min(bytesSinceFailure, Self.progress) + min(bytes, Self.progress)
        if isWhole || bytesSinceFailure >= Self.progress { startLimits() }
    }

    /// Clamps the counters, with room for further failures, whatever the journal contained.
    mutating func clampCounts() {
        let policy = OutOfRangePolicy<Never>.clamp
        policy.apply(.count, to: &failuresSinceByte)
        policy.apply(.count, to: &failures)
        policy.apply(.count, to: &doubtfulFailures)
        policy.apply(.count, to: &statusFailures)
        policy.apply(.bytes, to: &bytesSinceFailure)
        inVain?.clampNumbers()
        budget?.clampCounts()
    }

    // MARK: Limits

    private mutating func startLimits() {
        failures = 0
        doubtfulFailures = 0
        statusFailures = 0
        bytesSinceFailure = 0
    }

    private mutating func count(_ error: ServiceError, _ errorClass: ErrorClass, policy: RetryPolicy) {
        failuresSinceByte += 1
        failures += 1
        if error.code == .serverBusy, policy.statusRetries != nil {
            statusFailures += 1
        } else if errorClass == .doubtful {
            doubtfulFailures += 1
        }
    }

    private func isOverLimit(_ error: ServiceError, _ errorClass: ErrorClass, _ policy: RetryPolicy) -> Bool {
        if let limit = policy.rule?.maximumAttemptsWithoutProgress, failuresSinceByte >= limit { return true }
        if errorClass == .doubtful, let limit = policy.rule?.doubtfulRetries, doubtfulFailures > limit { return true }
        if error.hasPoorProspect, let limit = policy.rule?.unreachableRetries, failuresSinceByte > limit { return true }
        if let retries = policy.retries, failures > retries { return true }
        if error.code == .serverBusy, let statusRetries = policy.statusRetries { return statusFailures > statusRetries }
        return policy.retries == nil && policy.rule == nil && errorClass == .doubtful
            && doubtfulFailures > RetryPolicy.doubtfulRetries
    }
}
