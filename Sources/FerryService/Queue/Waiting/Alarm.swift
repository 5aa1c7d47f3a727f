import FerryCore

/// Something that is due at a moment of a clock that counts sleep and ignores changes of the wall clock.
///
/// See docs/behaviour/transfers.md#T7.
struct Alarm: Comparable, Sendable {
    enum Cause: Hashable, Sendable {
        case retry(TransferID)
        /// The time of a transfer may be over.
        case due(TransferID)
        /// Time to look for transfers whose time is over soon.
        case schedule
        case release(origin: String)
        /// Time to look for files of the spool that no client has taken.
        case sweep
        /// The daemon has run for long enough that its start was a good one.
        case trialEnds
        /// Time to look again at files that could not be removed.
        case cleanUp
        /// Apps that lived through a restart of the daemon have had the time to come back.
        case settling
        /// A launch that failed is to be repeated.
        case launch(SessionID)
        /// Time to tidy up, if nothing runs.
        case upkeep
    }

    let due: ContinuousClock.Instant
    let cause: Cause

    static func < (left: Alarm, right: Alarm) -> Bool { left.due < right.due }
}
