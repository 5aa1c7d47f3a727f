import FerryCore
import FerryRules

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

extension TransferJob {
    /// The limits that the caller's own method, body and fields set on requests. A request with a body is verbatim.
    var raw: RawRequest? {
        guard request.body == nil,
            let kind = try? RequestFieldRule.kind(method: request.method, fields: request.headers)
        else { return .verbatim }
        return switch kind {
        case .plain: RawRequest?.none
        case .ownRange(let range): .ownRange(range)
        case .coded: .coded
        case .raw: .verbatim
        }
    }

    /// Returns the inputs of the decision about a response, as for an attempt without bytes or history.
    func situation(_ asked: Asked, _ head: ResponseHead, method: String, _ options: RunOptions) -> ResumeSituation {
        var situation = ResumeSituation(asked: asked, response: .success(head))
        // The conversation has already followed permitted redirects.
        situation.locationIsGood = false
        situation.hasExpectedDigest = options.judgesByDigest
        situation.raw = raw
        situation.method = method
        situation.acceptsAnyStatus = request.response.statusPolicy == .any
        situation.acceptableStatuses = request.response.acceptableStatuses
        situation.expectedSize = request.response.expectedSize
        situation.maxSize = request.response.maxSize
        return situation
    }
}
