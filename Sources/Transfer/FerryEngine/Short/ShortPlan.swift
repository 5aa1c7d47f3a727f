import FerryCore
import FerryRules
import Foundation
import NIOCore

/// The request of a file that is expected to fit in memory, and the facts from its response.
///
/// Pure value. It covers the usual course only: one plain request without a body, and a response with the whole file.
/// A ``TransferRun`` decides about everything else.
struct ShortPlan: Sendable {
    let url: HTTPURL
    private let job: TransferJob
    private let asked: Asked
    private let conversation: Conversation
    let head: RequestHead

    /// - Returns: `nil` if the job needs a ``TransferRun``.
    init?(_ job: TransferJob, _ configuration: Engine.Configuration) {
        guard job.expectsShortResponse, job.isUntried, job.isUsual,
            let url = try? HTTPURL(parsing: job.request.url), url.credentials == nil,
            let plan = PlannedRequest(job.firstSituation)
        else { return nil }
        var memory = ConversationMemory()
        let terms = ConversationTerms(job, home: url.origin, configuration)
        var conversation = Conversation(terms, from: RequestCourse(from: url, terms), planned: plan.fields)
        guard let request = try? conversation.request(cookies: nil, &memory, Conversation.proofs),
            request.proxy == nil, let head = try? RequestHead(request.method, url, request.fields, proxy: nil)
        else { return nil }
        self.job = job
        self.url = url
        self.conversation = conversation
        asked = plan.asked
        self.head = head
    }

    /// Returns the facts of the file in a response.
    ///
    /// - Returns: `nil` if a ``TransferRun`` has to judge the response.
    func facts(of response: ReceivedResponse, _ options: RunOptions) -> Boxed<TransferFacts>? {
        let head = ResponseHead(response.head, url: url)
        var (conversation, memory) = (conversation, ConversationMemory())
        guard case .accept = conversation.received(head, &memory, now: Date()),
            case .start(let body) = ResumeTable.decide(
                job.situation(asked, head, method: conversation.course.method, options)
            ).decision,
            body.completeLength == Int64(response.body.readableBytes), body.end == body.completeLength,
            job.request.timing.retryRule?.fails(head.status) != true, head.value("Content-Digest") == nil,
            DigestFields(response.trailers).isEmpty,
            !job.request.response.decode || head.contentEncodings.isEmpty
        else { return nil }
        var facts = job.$facts
        facts.wrappedValue.accept(body, head, conversation.course, for: job, original: url)
        return facts
    }
}

extension TransferJob {
    /// Whether no attempt has left anything on disk, in the facts or for this attempt.
    fileprivate var isUntried: Bool {
        var new = TransferFacts()
        new.startedAt = facts.startedAt
        return !mayHaveLeftovers && facts == new && existing == nil && digest == nil && advisor == nil
            && credentials == nil
    }

    /// Whether one plain request gets the file, and nothing but the file is wanted.
    fileprivate var isUsual: Bool {
        raw == nil && gate.isOpen && request.note == nil && request.mirrors.isEmpty && request.cookies.isEmpty
            && request.file.partialFolder == nil && !request.file.spooled && request.file.continues == nil
            && request.response.statusPolicy == .strict && request.response.acceptableStatuses == nil
            && request.timing.minSpeed == 0 && request.timing.connectTimeout == nil && request.tls.isUsual
    }

    fileprivate var firstSituation: RequestSituation {
        var situation = RequestSituation()
        situation.hasExpectedDigest = RunOptions(request).judgesByDigest
        situation.expectedSize = request.response.expectedSize
        return situation
    }
}

extension TLSOptions {
    /// Whether connections use the default rules. The trusted authorities and the client's certificate may be others.
    fileprivate var isUsual: Bool {
        !insecure && !skipsHostVerification && minimumVersion == nil && maximumVersion == nil
    }
}
