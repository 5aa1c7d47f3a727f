import FerryCore
import Foundation

/// A transfer that waits for a moment, or for its cause to go away.
struct DelayedTransfer: Sendable {
    var key: QueueKey
    let until: ContinuousClock.Instant
    let reason: WaitReason
    /// What it waits for, where the journal does not say so.
    var error: ServiceError?
    /// Whether the moment ever comes; otherwise the transfer waits for an answer.
    let hasEnd: Bool
    /// The moment before which nothing is asked, even if the cause goes away earlier.
    let begin: ContinuousClock.Instant

    /// - Parameters:
    ///   - seconds: how long the cause lasts.
    ///   - begin: seconds until the transfer may begin; 0 or less if it may now.
    init(
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

    /// What it waits for once the cause is gone; nil if that is nothing.
    func withoutCause(at now: ContinuousClock.Instant) -> DelayedTransfer? {
        let rest = (begin - now) / .seconds(1)
        return rest > 0 ? DelayedTransfer(key, seconds: rest, .beginDate, begin: rest, at: now) : nil
    }

    /// Seconds until the moment comes; 0 if it has.
    func rest(at now: ContinuousClock.Instant) -> Double { max(0, (until - now) / .seconds(1)) }
}
