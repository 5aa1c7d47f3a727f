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

    /// The digest that it states of its content, which is stored from a position on; nil where it states none.
    func statedDigest(from start: Int64) -> StatedDigest? {
        let length = head.status == 206 ? head.contentRange?.length : head.contentLength
        return StatedDigest(from: start, length: length, DigestFields(head).content)
    }

    /// Digests of its content as it comes, for content whose coding is taken off.
    var codedDigests: [Checksum] {
        let digests = DigestFields(head)
        return digests.content + (head.status == 200 ? digests.representation : [])
    }

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
