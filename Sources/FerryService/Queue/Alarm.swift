// Ferry: FerryService
// Something that is due at a moment.

import FerryCore

/// Something that is due at a moment of a clock that counts sleep and ignores changes of the wall clock (spec T7).
struct Alarm: Comparable, Sendable {
    enum Cause: Hashable, Sendable {
        case retry(TransferID)
        case deadline(TransferID)
        case release(origin: String)
    }

    let due: ContinuousClock.Instant
    let cause: Cause

    static func < (left: Alarm, right: Alarm) -> Bool { left.due < right.due }
}
