// Ferry: FerryEngine
// What is asked, and the verdict on its answer.

import FerryCore
import Foundation

extension TransferRun {
    /// What the planner needs to know.
    func requestSituation(_ turn: Turn) -> RequestSituation {
        var situation = RequestSituation()
        situation.ranges = turn.restart == nil ? facts.ranges : ByteRangeSet()
        situation.identity = turn.restart == nil ? facts.identity : nil
        situation.hasExpectedDigest = wishes.judgesByDigest
        situation.expectedSize = job.request.expectedSize
        situation.existing = job.existing?.identity
        situation.raw = raw
        situation.rangesOff = facts.rangesOff
        situation.bypassesCaches = facts.bypassesCaches
        situation.isUnconditional = turn.isUnconditional || (sources.current > 0 && wishes.judgesByDigest)
        return situation
    }

    /// How the caller's own method, body and fields limit what may be asked.
    var raw: RawRequest? {
        guard job.request.body == nil,
            let kind = try? RequestFieldRule.kind(method: job.request.method, fields: job.request.headers)
        else { return .verbatim }
        return switch kind {
        case .plain: RawRequest?.none
        case .ownRange(let range): .ownRange(range)
        case .raw: .verbatim
        }
    }

    /// Asks the original URL, and judges the answer that it leads to.
    ///
    /// Every try begins at the original URL, so that a signed target that has expired is made anew
    /// (docs/behaviour/transfers.md#X11).
    func ask(_ plan: PlannedRequest, _ turn: Turn) async throws(TransferError) -> Answer {
        var conversation = try shared.begin(
            at: try sources.url(of: sources.current), planned: plan.fields, isFresh: turn.isFresh)
        switch try await conversation.carry(by: FirstConnection(run: self, turn: turn), shared, engine) {
        case .accepted(let accepted):
            let verdict = ResumeTable.decide(situation(plan.asked, accepted, turn))
            try await checkRetriedStatus(accepted)
            connections.count(at: accepted.course.url.origin, engine.budget)
            return Answer(accepted, verdict)
        case .failed(let error, let later):
            end.later = later
            throw error
        case .waiting(let challenge, let error):
            end.challenge = challenge
            throw error
        }
    }

    // MARK: The verdict

    /// Statuses that the client's own rule takes for failures, whatever the policy.
    private func checkRetriedStatus(_ accepted: AcceptedExchange) async throws(TransferError) {
        let head = accepted.head
        guard let rule = job.request.retryRule, rule.statusCodes.union(rule.expiredStatusCodes).contains(head.status)
        else { return }
        await accepted.exchange.close()
        end.later = LaterAnswer(head)
        noteRefusal(head, accepted.course.url)
        // The client has said that the request may be made again.
        end.isUnrepeatable = false
        facts.bodySent = nil
        throw TransferError(
            rule.expiredStatusCodes.contains(head.status) ? .urlExpired : .serverBusy,
            "The server answered \(head.status).", details: ErrorDetails(httpStatus: head.status))
    }

    func situation(_ asked: Asked, _ accepted: AcceptedExchange, _ turn: Turn) -> ResumeSituation {
        var situation = ResumeSituation(asked: asked, response: .success(accepted.head))
        // The conversation has followed what may be followed.
        situation.locationIsGood = false
        situation.ranges = facts.ranges
        situation.identity = facts.identity
        situation.hasExpectedDigest = wishes.judgesByDigest
        situation.raw = raw
        situation.method = accepted.course.method
        situation.acceptsAnyStatus = job.request.statusPolicy == .any
        if let accepted = job.request.acceptableStatuses {
            situation.acceptStatus = accepted
            situation.failsOtherStatuses = true
        }
        situation.expectedSize = job.request.expectedSize
        situation.maxSize = job.request.maxSize
        situation.usedFreshConnection = turn.isFresh
        situation.restarts = facts.restarts
        situation.restart = turn.restart
        situation.rangesOff = facts.rangesOff
        return situation
    }
}
