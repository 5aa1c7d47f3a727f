// Ferry: FerryService
// Origins that are left alone for a while.

import FerryCore
import Foundation

extension LocalTransferService {
    /// Holds every new request to an origin back for a time that its server asked a transfer for.
    func hold(_ origin: Origin, for seconds: Double, told id: TransferID) {
        let origin = origin.description
        let until = ContinuousClock.now + .wait(seconds: seconds)
        tellWaiting(lines.hold(origin, until: until, told: id))
        arm()
    }

    /// Lifts the hold of a transfer that the user wants to go on at once, and of others at its origin.
    func liftHold(for record: TransferRecord) {
        lines.release(told: record.id)
        lines.release(key(record).origin)
    }

    /// Ends what was held because of a transfer that has ended.
    func endHolds(of id: TransferID) {
        if lines.release(told: id) { scheduleSoon() }
    }

    /// When an origin that is held may be asked again, by the wall clock.
    func holdEnd(_ origin: String) -> Date? {
        lines.holdEnd(origin).map { Date(timeIntervalSinceNow: ($0 - .now) / .seconds(1)) }
    }
}
