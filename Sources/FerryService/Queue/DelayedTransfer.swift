// Ferry: FerryService
// A transfer that waits for a moment.

import FerryCore

/// A transfer that waits for a moment, or for its cause to go away.
struct DelayedTransfer: Sendable {
    var key: QueueKey
    let until: ContinuousClock.Instant
    let reason: WaitReason
}
