package import FerryCore
import FerryRules
import FerryFoundation

/// A transfer that waits for a moment, or until its reason disappears.
package struct DelayedTransfer: Sendable {
    package var key: QueueKey
    package let until: ContinuousClock.Instant
    package let reason: WaitReason
    /// The error to wait for, if the journal does not contain it.
    package var error: ServiceError?
    /// Whether the delay ends by itself. Otherwise the transfer waits for an answer.
    package let hasEnd: Bool
    /// Send no request before this moment, even if the reason disappears earlier.
    package let begin: ContinuousClock.Instant

    /// - Parameters:
    ///   - seconds: How long the reason lasts.
    ///   - begin: Seconds until the transfer's begin date. 0 or less if it has passed.
    package init(
        _ key: QueueKey, seconds: Double, _ reason: WaitReason, error: ServiceError? = nil, begin: Double = 0,
        at now: ContinuousClock.Instant
    ) {
        self.key = key
        self.begin = now + .wait(seconds: begin)
        until = now + .wait(seconds: seconds)
        self.reason = reason
        self.error = error
        hasEnd = seconds < TransferMachine.untilAnswered / 2
    }

    /// Returns the remaining delay once the reason has disappeared, or `nil` if none remains.
    package func withoutCause(at now: ContinuousClock.Instant) -> DelayedTransfer? {
        let rest = (begin - now) / .seconds(1)
        return rest > 0 ? DelayedTransfer(key, seconds: rest, .beginDate, begin: rest, at: now) : nil
    }

    /// Returns the seconds until the delay ends, or 0 if it has.
    package func rest(at now: ContinuousClock.Instant) -> Double { max(0, (until - now) / .seconds(1)) }
}
