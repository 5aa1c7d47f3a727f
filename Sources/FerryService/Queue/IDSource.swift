import FerryCore
import Foundation

/// Gives transfers their ids, which rise with the time of submission, also if the clock is set back.
struct IDSource: Sendable {
    /// The last id that an earlier process gave.
    let lastOfOthers: TransferID
    private(set) var last: TransferID

    /// - Parameter last: the last id that was ever given; nil is none.
    init(last: TransferID?) {
        lastOfOthers = last ?? TransferID(rawValue: 0)
        self.last = lastOfOthers
    }

    mutating func next(at now: Date) -> TransferID { next(1, at: now) }

    /// Gives ids that follow each other; returns the first of them.
    mutating func next(_ count: Int, at now: Date) -> TransferID {
        let milliseconds = UInt64(max(0, now.timeIntervalSince1970 * 1000))
        let first = TransferID.next(after: last, milliseconds: milliseconds)
        last = first.advanced(by: max(1, count) - 1)
        return first
    }
}
