package import FerryCore

/// An event due at a moment on a clock that counts sleep and ignores wall clock changes.
///
/// See docs/behaviour/transfers.md#T7.
package struct Alarm: Comparable, Sendable {
    package enum Cause: Hashable, Sendable {
        case retry(TransferID)
        /// A transfer's deadline may have passed.
        case due(TransferID)
        /// The next deadline look-ahead is due.
        case schedule
        case release(origin: String)
        /// A session's lease may be over.
        case lease(SessionID)
        /// The spool is to be swept for files that no client has collected.
        case sweep
        /// The daemon has run long enough for its start to count as good.
        case trialEnds
        /// The removal of files that could not be removed is to be retried.
        case cleanUp
        /// Apps that survived a daemon restart have had time to reconnect.
        case settling
        /// A failed launch is to be repeated.
        case launch(SessionID)
        /// Maintenance is due, if no transfer runs.
        case upkeep
    }

    package let due: ContinuousClock.Instant
    package let cause: Cause

    package init(due: ContinuousClock.Instant, cause: Cause) {
        self.due = due
        self.cause = cause
    }

    package static func < (left: Alarm, right: Alarm) -> Bool { left.due < right.due }
}
