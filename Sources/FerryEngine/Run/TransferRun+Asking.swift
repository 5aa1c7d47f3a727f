// Ferry: FerryEngine
// Requests, redirects and the verdict on their answers.

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
        situation.existing = existing?.identity
        situation.raw = raw
        situation.rangesOff = facts.rangesOff
        situation.bypassesCaches = facts.bypassesCaches
        situation.isUnconditional = turn.isUnconditional || (source > 0 && wishes.judgesByDigest)
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

    /// Sends a request to the original URL, follows redirects, answers challenges, and judges the answer.
    ///
    /// Every try begins at the original URL, so that a signed target that has expired is made anew
    /// (docs/behaviour/transfers.md#X11).
    func ask(_ plan: PlannedRequest, _ turn: Turn) async throws(TransferError) -> Answer {
        var course = try Course(job, original: originalURL.get(), source: source) { cookies.header(for: $0) }
        while true {
            try checkStopping()
            let askedAt = Crew.now
            guard let (exchange, head) = try await request(plan, &course, turn) else { continue }
            let setup = exchange.roundTrip ?? Crew.now - askedAt
            if try await answersChallenge(head, exchange, &course) { continue }
            var situation = situation(plan.asked, head, turn, course)
            var verdict = ResumeTable.decide(situation)
            if case .follow(let location) = verdict.decision {
                if try await follows(location, head, exchange, &course) { continue }
                situation.locationIsGood = false
                verdict = ResumeTable.decide(situation)
            }
            try await checkRetriedStatus(head, exchange, course.url)
            self.exchange = exchange
            countConnection(at: course.url.origin)
            return Answer(
                exchange: exchange, head: head, url: course.url, chain: course.chain, verdict: verdict,
                method: course.method, course: course, setup: setup)
        }
    }

    /// One request and its head; nil if the same is to be asked again.
    private func request(
        _ plan: PlannedRequest, _ course: inout Course, _ turn: Turn
    ) async throws(TransferError) -> (Exchange, ResponseHead)? {
        let exchange = try await send(plan, course, turn)
        let head: ResponseHead
        do throws(TransferError) {
            head = try await exchange.head()
        } catch {
            noteSent(exchange, course)
            if let challenge = exchange.pendingTrust { pendingChallenge = .trust(challenge) }
            if error == ClientFailure.staleConnection, !course.hasReplacedConnection, !isUnrepeatable {
                course.hasReplacedConnection = true
                return nil
            }
            if error == ClientFailure.notOverHTTP2, !isUnrepeatable {
                engine.clients.refusals.note(course.url.origin)
                return nil
            }
            if error.code == .proxyAuthRequired, try await answersProxy(error, course.url) { return nil }
            throw error
        }
        noteSent(exchange, course)
        try await takeCookies(head, course.url)
        return (exchange, head)
    }

    func takeCookies(_ head: ResponseHead, _ url: HTTPURL) async throws(TransferError) {
        let set = head.values("Set-Cookie")
        if let advisor = job.advisor {
            if !set.isEmpty { try await asked { await advisor.receivedCookies(set, from: url) } }
        } else {
            for field in set { cookies.store(setCookie: field, from: url, now: Date()) }
        }
    }

    // MARK: Redirects

    /// Goes on to where a redirect leads; false if the redirect itself is the result.
    func follows(
        _ location: String, _ head: ResponseHead, _ exchange: Exchange, _ course: inout Course
    ) async throws(TransferError) -> Bool {
        let request = job.request
        let policy = RedirectPolicy(
            allowDowngrade: request.allowDowngrade, allowPrivateRedirects: request.allowPrivateRedirects)
        let steps = course.chain.count
        let redirect: Redirect
        do throws(TransferError) {
            redirect = try RedirectRule.next(
                from: course.url, to: location, status: head.status, method: course.method, policy: policy,
                chain: &course.chain,
                // Under policy `any` only the number of redirects ends them.
                secrets: { request.statusPolicy == .any ? String(steps) : cookies.header(for: $0) })
        } catch {
            await exchange.close()
            throw error
        }
        var next = course
        next.follow(redirect.url, method: redirect.method, fields: nil, request.foreignFields)
        if let advisor = job.advisor {
            let proposal = ProposedRedirect(
                head: head, url: redirect.url.string, method: next.method, fields: next.given(request.foreignFields),
                keepsBody: next.sendsBody)
            switch try await asked({ await advisor.redirect(proposal) }) {
            case .follow: break
            case .stay: return false
            case .cancel: throw TransferError(.canceled, "A redirect was turned down.")
            case .followOther(let url, let method, let fields):
                next = course
                next.follow(try HTTPURL(parsing: url), method: method, fields: fields, request.foreignFields)
            }
        }
        await exchange.discard()
        try await pauseBeforeRedirect(head)
        course = next
        return true
    }

    /// Waits for the moment that a server asks for between a redirect and its target.
    ///
    /// Up to 10 s are spent in place (docs/behaviour/transfers.md#T5).
    private func pauseBeforeRedirect(_ head: ResponseHead) async throws(TransferError) {
        guard let answer = LaterAnswer(head), let asked = RetryAfter(parsing: answer.value, now: Date()) else { return }
        guard asked.seconds <= 10 else {
            later = answer
            throw TransferError(.serverBusy, "The server asked to follow its redirect later.")
        }
        try? await Task.sleep(for: .seconds(asked.seconds))
        try checkStopping()
    }

    // MARK: The verdict

    /// Statuses that the client's own rule takes for failures, whatever the policy.
    private func checkRetriedStatus(
        _ head: ResponseHead, _ exchange: Exchange, _ url: HTTPURL
    ) async throws(TransferError) {
        guard let rule = job.request.retryRule, rule.statusCodes.union(rule.expiredStatusCodes).contains(head.status)
        else { return }
        await exchange.close()
        later = LaterAnswer(head)
        noteRefusal(head, url)
        // The client has said that the request may be made again.
        isUnrepeatable = false
        facts.bodySent = nil
        throw TransferError(
            rule.expiredStatusCodes.contains(head.status) ? .urlExpired : .serverBusy,
            "The server answered \(head.status).", details: ErrorDetails(httpStatus: head.status))
    }

    func situation(_ asked: Asked, _ head: ResponseHead, _ turn: Turn, _ course: Course) -> ResumeSituation {
        var situation = ResumeSituation(asked: asked, response: .success(head))
        situation.ranges = facts.ranges
        situation.identity = facts.identity
        situation.hasExpectedDigest = wishes.judgesByDigest
        situation.raw = raw
        situation.method = course.method
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
