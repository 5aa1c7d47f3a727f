import FerryCore
import Foundation

/// A transfer that waits for a moment, or for its cause to go away.
struct DelayedTransfer: Sendable {
    var key: QueueKey
    let until: ContinuousClock.Instant
    let reason: WaitReason
    /// What it waits for, where the journal does not say so.
    var error: TransferError?
    /// Whether the moment ever comes; otherwise the transfer waits for an answer.
    let hasEnd: Bool

    init(
        _ key: QueueKey, seconds: Double, _ reason: WaitReason, error: TransferError? = nil,
        at now: ContinuousClock.Instant
    ) {
        self.key = key
        until = now + .wait(seconds: seconds)
        self.reason = reason
        self.error = error
        hasEnd = seconds < TransferMachine.untilAnswered / 2
    }

    /// Seconds until the moment comes; 0 if it has.
    func rest(at now: ContinuousClock.Instant) -> Double { max(0, (until - now) / .seconds(1)) }
}
