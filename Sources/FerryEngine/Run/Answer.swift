import FerryCore

/// A response after all redirects, with its verdict; its body waits.
struct Answer: Sendable {
    private let accepted: AcceptedExchange
    let verdict: ResumeVerdict

    init(_ accepted: AcceptedExchange, _ verdict: ResumeVerdict) {
        self.accepted = accepted
        self.verdict = verdict
    }

    var exchange: Exchange { accepted.exchange }
    var head: ResponseHead { accepted.head }
    /// How it was asked for.
    var course: RequestCourse { accepted.course }
    var url: HTTPURL { course.url }
    /// Seconds from the last request to its head.
    var setup: Double { accepted.setup }
}

/// What one request of a try differs in from the plain case, by the answer before it.
struct RequestVariant: Sendable {
    /// The bytes on disk are not asked to be continued; they go when the next head is accepted.
    var restart: RestartReason?
    /// The range is asked without `If-Range`.
    var isUnconditional = false
    /// The same is asked once more on a connection of its own.
    var isFresh = false
}
