// Ferry: FerryEngine
// A judged response whose body has not been read.

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
