// Ferry: FerryService
// When a transfer whose try has ended is tried again.

import FerryCore

/// When, and why only then, a transfer whose try has ended is tried again.
struct NextTry: Sendable {
    let record: TransferRecord
    /// Seconds; 0 is at once, if there is a slot.
    let delay: Double
    let reason: WaitReason
    /// What it waits for, where the journal could not record that.
    var error: TransferError?
}
