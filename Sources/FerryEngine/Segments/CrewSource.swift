// Ferry: FerryEngine
// One of the places that a file comes from.

import FerryCore

/// One of the places that a file comes from: the request's URL, or a mirror.
struct CrewSource {
    /// 0 is the request's URL, then come its mirrors.
    let number: Int
    /// Where requests begin, and with what.
    var course: RequestCourse
    /// Counts up whenever the URL was asked for where it leads.
    var courseNumber = 0
    /// Who waits until the URL has been asked again; nil while nobody asks.
    var waiters: [CheckedContinuation<Void, Never>]?
    /// Whether a part has come from here; until then one worker finds out.
    var isProven: Bool
    var isDropped = false
    /// How it gets on, by which it is chosen (docs/behaviour/transfers.md#S12).
    var rank: SourceRank

    init(number: Int, course: RequestCourse, rank: SourceRank?, isProven: Bool) {
        self.number = number
        self.course = course
        self.rank = rank ?? SourceRank()
        self.isProven = isProven
    }
}
