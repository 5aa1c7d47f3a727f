package import FerryFoundation

/// Counts the failures of one transfer and decides whether another attempt is made.
///
/// Part of what the journal keeps: a restart of the daemon forgives nothing.
package struct FailureLedger: Hashable, Codable, Sendable {
    /// What follows from a failure.
    package enum Verdict: Hashable, Sendable {
        /// Another try after so many seconds.
        case retry(after: Double, ServiceError)
        /// Another try when the cause is gone; nothing was counted.
        case wait(ServiceError)
        /// No other try.
        case fail(ServiceError)
    }

    /// Bytes after which the limits start again.
    package static let progress: Int64 = 64 * 1024

    /// Failures since the last byte that was new on disk; the delay grows with them.
    package private(set) var failuresSinceByte = 0
    /// Counted failures of both classes since the limits started.
    package private(set) var failures = 0
    package private(set) var doubtfulFailures = 0
    /// Failures with `server_busy`, where `statusRetries` limits them apart.
    package private(set) var statusFailures = 0
    /// New bytes since the first failure that counts.
    package private(set) var bytesSinceFailure: Int64 = 0
    /// The part of the time since the first failure after the last progress that counts towards `giveUpAfter`; nil without one.
    private var inVain: StalledTime?
    /// What was received in vain since the user last started the transfer; nil for nothing.
    package private(set) var budget: TransferBudget?

    package init() {}

    /// Decides about a failure.
    ///
    /// - Parameters:
    ///   - retryAfter: what the response asked for; the delay is never shorter.
    ///   - random: a number from 0 up to 1.
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

    /// Notes what an attempt brought and cost, before what it failed with.
    package mutating func attempted(_ cost: AttemptCost, now: Date) {
        if cost.gained > 0 { stored(bytes: cost.gained, isWhole: cost.isWhole) }
        inVain?.tried(for: cost.seconds, until: now)
        if cost.wasted > 0 || cost.starts > 0 || budget != nil { budget = (budget ?? TransferBudget()).adding(cost) }
    }

    /// Notes bytes that were never on disk before: the delay starts again with any byte, the limits with 64 KiB or
    /// the end of the file.
    private mutating func stored(bytes: Int64, isWhole: Bool) {
        failuresSinceByte = 0
        inVain = nil
        guard failures > 0 else { return }
        bytesSinceFailure = min(bytesSinceFailure, Self.progress) + min(bytes, Self.progress)
        if isWhole || bytesSinceFailure >= Self.progress { startLimits() }
    }

    /// Brings what was counted into ranges that leave room for further failures, whatever the journal had.
    mutating func clampCounts() {
        let care = OutOfRangePolicy<Never>.clamp
        care.apply(.count, to: &failuresSinceByte)
        care.apply(.count, to: &failures)
        care.apply(.count, to: &doubtfulFailures)
        care.apply(.count, to: &statusFailures)
        care.apply(.bytes, to: &bytesSinceFailure)
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
