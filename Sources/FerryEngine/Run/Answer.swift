import FerryCore

/// The response after all redirects, with its verdict and an unread body.
struct Answer: Sendable {
    private let accepted: AcceptedExchange
    let verdict: ResumeVerdict

    init(_ accepted: AcceptedExchange, _ verdict: ResumeVerdict) {
        self.accepted = accepted
        self.verdict = verdict
    }

    var exchange: Exchange { accepted.exchange }
    var head: ResponseHead { accepted.head }
    /// The course of its request.
    var course: RequestCourse { accepted.course }
    var url: HTTPURL { course.url }

    /// Returns the digest that the response states for its content, stored from a position on. `nil` if it states none.
    func statedDigest(from start: Int64) -> StatedDigest? {
        let length = head.status == 206 ? head.contentRange?.length : head.contentLength
        return StatedDigest(from: start, length: length, DigestFields(head).content)
    }

    /// Digests of the encoded content, for content that is decoded.
    var codedDigests: [Checksum] {
        let digests = DigestFields(head)
        return digests.content + (head.status == 200 ? digests.representation : [])
    }

    /// Seconds from the last request to its head.
    var setup: Double { accepted.setup }
}

/// Deviations of a request from the plain case, caused by the previous response.
struct RequestVariant: Sendable {
    /// Why the request restarts from byte 0. The bytes on disk are removed when the next head is accepted.
    var restart: RestartReason?
    /// Whether to request the range without `If-Range`.
    var isUnconditional = false
    /// Whether to repeat the request on a new connection.
    var isFresh = false
}
