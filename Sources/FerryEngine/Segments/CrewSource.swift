// Ferry: FerryEngine
// One of the places that a file comes from.

/// One of the places that a file comes from: the request's URL, or a mirror.
struct CrewSource {
    /// 0 is the request's URL, then come its mirrors.
    let number: Int
    /// Where requests begin, and with what.
    var course: Course
    /// Counts up whenever the URL was asked for where it leads.
    var courseNumber = 0
    /// Who waits until the URL has been asked again; nil while nobody asks.
    var waiters: [CheckedContinuation<Void, Never>]?
    /// Whether a part has come from here; until then one worker finds out.
    var isProven: Bool
    var isDropped = false
    /// No request before this time, in seconds.
    var restUntil = 0.0
    /// How long it rests after the next failure, in seconds (spec S12).
    private var rest = 60.0

    init(number: Int, course: Course, isProven: Bool) {
        self.number = number
        self.course = course
        self.isProven = isProven
    }

    /// Takes note of a failure: a longer rest each time.
    mutating func fail(now: Double) {
        restUntil = now + rest
        rest *= 2
    }
}
