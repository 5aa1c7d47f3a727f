// Ferry: FerryService
// A transfer that waits for a moment.

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
    var hasEnd: Bool { rest < TransferMachine.untilAnswered / 2 }

    /// The moment as the wall clock shows it.
    var date: Date { Date(timeIntervalSinceNow: rest) }

    private var rest: Double { (until - .now) / .seconds(1) }
}
