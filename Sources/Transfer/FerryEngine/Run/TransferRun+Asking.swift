import FerryCore
import FerryRules
import Foundation
import Synchronization

extension TransferRun {
    /// Returns the planner's input.
    func requestSituation(_ variant: RequestVariant) -> RequestSituation {
        var situation = RequestSituation()
        // Without a file nothing can be resumed, and nothing is complete.
        let continues = variant.restart == nil && attempt.partial != nil
        situation.ranges = continues ? attempt.facts.ranges : ByteRangeSet()
        situation.identity = continues ? attempt.facts.identity : nil
        situation.hasExpectedDigest = attempt.options.judgesByDigest
        situation.expectedSize = job.request.response.expectedSize
        situation.existing = attempt.existing?.identity
        situation.raw = job.raw
        situation.rangesOff = attempt.facts.rangesOff
        situation.bypassesCaches = attempt.facts.bypassesCaches
        situation.isUnconditional =
            variant.isUnconditional || (attempt.sources.current > 0 && attempt.options.judgesByDigest)
        return situation
    }

    /// Requests the original URL, and judges the final response.
    ///
    /// Each attempt starts at the original URL, so that an expired signed target is renewed
    /// (docs/behaviour/transfers.md#X11).
    func ask(_ plan: PlannedRequest, _ variant: RequestVariant) async throws(ServiceError) -> Answer {
        try checkRepeatable()
        let url = try attempt.sources.url(of: attempt.sources.current)
        let ended: ConversationEnd
        let upload = try await AttemptUpload.open(job, attempt.facts.sending.upload, disk: engine.disk) {
            facts throws(ServiceError) in
            try await self.record(facts)
        }
        if let upload {
            defer { attempt.facts.sending.upload = upload.facts }
            ended = try await upload.carry(
                to: url, planned: plan.fields, isFresh: variant.isFresh,
                by: FirstConnection(run: self, variant: variant, upload: upload), shared, engine)
        } else {
            var conversation = try shared.begin(at: url, planned: plan.fields, isFresh: variant.isFresh)
            ended = try await conversation.carry(by: FirstConnection(run: self, variant: variant), shared, engine)
        }
        switch ended {
        case .accepted(let accepted):
            let verdict = ResumeTable.decide(situation(plan.asked, accepted, variant))
            try await checkRetriedStatus(accepted)
            connections.count(at: accepted.course.url.origin, engine.budget)
            return Answer(accepted, verdict)
        case .failed(let error, let later):
            attempt.ending.later = later
            throw error
        case .waiting(let challenge, let error):
            attempt.ending.challenge = challenge
            throw error
        }
    }

    /// Makes an upload's state durable before more is sent.
    private func record(_ upload: UploadFacts) async throws(ServiceError) {
        attempt.facts.sending.upload = upload
        attempt.reached(.uploadKnown)
        try await attempt.record()
        attempt.reached(.uploadRecorded)
    }

    // MARK: The verdict

    /// Throws for a status that the client's own rule treats as a failure, whatever the policy.
    private func checkRetriedStatus(_ accepted: AcceptedExchange) async throws(ServiceError) {
        let head = accepted.head
        guard let rule = job.request.timing.retryRule, rule.fails(head.status) else { return }
        await accepted.exchange.close()
        attempt.ending.later = RetryAfterResponse(head)
        noteRefusal(head, accepted.course.url)
        // The client allows the request to be repeated.
        attempt.ending.isUnrepeatable = false
        attempt.facts.sending.mayHaveArrived = false
        attempt.facts.sending.sent = nil
        throw ServiceError(
            rule.expiredStatusCodes.contains(head.status) ? .urlExpired : .serverBusy,
            "The server responded with \(head.status).", details: ErrorDetails(httpStatus: head.status))
    }

    func situation(_ asked: Asked, _ accepted: AcceptedExchange, _ variant: RequestVariant) -> ResumeSituation {
        var situation = job.situation(asked, accepted.head, method: accepted.course.method, attempt.options)
        situation.loginRefusal = accepted.loginRefusal
        situation.ranges = attempt.facts.ranges
        situation.identity = attempt.facts.identity
        situation.usedFreshConnection = variant.isFresh
        situation.restarts = attempt.facts.restarts
        situation.restart = variant.restart
        situation.rangesOff = attempt.facts.rangesOff
        return situation
    }

    // MARK: One request

    /// Sends a request on the first connection, with the caller's body if the request includes it.
    func open(
        _ request: OutgoingRequest, _ variant: RequestVariant, _ upload: Upload?
    ) async throws(ServiceError) -> Exchange {
        try attempt.checkStopping()
        var asked = try await exchangeRequest(request)
        let start = upload?.start ?? 0
        if request.sendsBody {
            if let upload {
                asked.body = upload.body()
            } else if case .bytes(let data) = job.request.body {
                asked.body = RequestBodyStream(data)
            }
            asked.onSent = { [progress = job.progress] in progress.sent.store(start + $0, ordering: .relaxed) }
        }
        if let upload { asked.onInformational = upload.informing() }
        job.progress.sent.store(start, ordering: .relaxed)
        asked.onAsked = opening(beside: asked, variant)
        asked.nameWait = NameWait(progress: job.progress) { [journal, id = job.id] in
            await journal.nameChanged(id, isolation: nil)
        }
        let mayHaveArrived = attempt.facts.sending.mayHaveArrived
        do throws(ServiceError) {
            try await recordSending(request, upload)
            try attempt.checkStopping()
            let exchange: Exchange
            if let response = connections.received.take() {
                exchange = Exchange(asked, replaying: response, engine: engine)
            } else {
                exchange = try engine.open(asked)
            }
            connections.opened(exchange)
            return exchange
        } catch {
            // Nothing was sent.
            attempt.facts.sending.mayHaveArrived = mayHaveArrived
            throw error
        }
    }

    /// Returns a request without its body.
    ///
    /// - Parameter worker: The event loop of an extra worker, which uses its own HTTP/1.1 connection.
    func exchangeRequest(
        _ request: OutgoingRequest, worker: Int? = nil
    ) async throws(ServiceError) -> ExchangeRequest {
        let url = request.url
        if connections.needsTrust(for: url, through: request.proxy) {
            connections.take(try await engine.material(of: job.request.tls.trust))
        }
        var key = try workerKey(for: url, through: request.proxy)
        key.loop = worker ?? connections.loop
        key.offersHTTP2 = job.offersHTTP2 && url.isSecure && !request.sendsBody && worker == nil
        key.isFresh = request.isFresh
        var asked = ExchangeRequest(request, key: key, timeouts: timeouts)
        asked.advisor = job.advisor
        asked.isDetailed = job.request.note != nil
        asked.onReceived = job.progress.counting
        return asked
    }

    /// Returns the connection properties of extra workers, except the event loop.
    func workerKey(for url: HTTPURL, through proxy: ProxyChoice?) throws(ServiceError) -> ConnectionKey {
        var key = ConnectionKey(proxy: proxy)
        key.family = job.request.transport.addressFamily
        key.scope = job.request.transport.addressScope
        // A proxy would connect to it.
        if proxy != nil, !url.isIn(key.scope) {
            throw ClientFailure.transferError(ConnectionFailure.outOfScope(key.scope), url: url, phase: .beforeHead)
        }
        key.isInsecure = job.request.tls.insecure
        key.skipsHostVerification = job.request.tls.skipsHostVerification
        (key.minimumTLS, key.maximumTLS) = (job.request.tls.minimumVersion, job.request.tls.maximumVersion)
        key.trust = try connections.trust(for: url, through: proxy, home: attempt.sources.original.get().origin)
        return key
    }

    private var timeouts: Timeouts {
        var timeouts = engine.configuration.timeouts
        if let connect = job.request.timing.connectTimeout { timeouts.bound(connecting: connect) }
        if let idle = job.request.timing.idleTimeout { timeouts.limit(to: idle) }
        return timeouts
    }

    // MARK: Requests that must not be sent twice

    /// Throws if the server may have received a request that must not be repeated. An upload resource reports the
    /// received bytes instead.
    ///
    /// Called before each conversation. A conversation itself repeats only what its server has not accepted.
    private func checkRepeatable() throws(ServiceError) {
        guard attempt.facts.sending.mayHaveArrived, attempt.facts.sending.upload?.resource == nil else { return }
        let method = job.request.method
        throw ServiceError(
            .connectionLost,
            "The server may have received the \(method) request already, and \(method) must not be sent twice. If it is "
                + "safe to send it again, type “ferry retry \(job.id)”.",
            as: .final)
    }

    /// Records in the journal that a request that must not be repeated is about to be sent. After a crash, the journal
    /// cannot tell whether the server has received it.
    private func recordSending(_ request: OutgoingRequest, _ upload: Upload?) async throws(ServiceError) {
        guard !RepetitionRule.mayRepeat(request.method, wasSent: true), upload?.isResumable != true,
            !attempt.facts.sending.mayHaveArrived
        else { return }
        attempt.facts.sending.mayHaveArrived = true
        try await attempt.record()
        attempt.reached(.requestAnnounced)
    }

    /// Records whether the request may be repeated.
    func noteSent(_ exchange: Exchange, _ request: OutgoingRequest, _ upload: Upload?) {
        if !RepetitionRule.mayRepeat(request.method, wasSent: true) {
            attempt.facts.sending.mayHaveArrived = upload?.isResumable != true && exchange.mayHaveSentAll
        }
        attempt.ending.isUnrepeatable = attempt.facts.sending.mayHaveArrived
        let sent = (upload?.start ?? 0) + exchange.bytesSent
        if request.sendsBody, sent > 0 || job.request.body?.length != 0 { attempt.facts.sending.sent = sent }
    }

    /// Stores the facts about the last requests, for the client's metrics.
    func noteExchanges() {
        let sent = job.progress.sent.load(ordering: .relaxed)
        if job.request.body != nil, sent > attempt.facts.sending.sent ?? 0 { attempt.facts.sending.sent = sent }
        let made = connections.facts
        guard !made.isEmpty else { return }
        // Keep the list bounded for a transfer attempted for days.
        attempt.facts.exchanges = Array(((attempt.facts.exchanges ?? []) + made).suffix(64))
    }
}

extension RetryRule {
    /// Whether the client treats a status as a failure to retry, whatever the policy.
    func fails(_ status: Int) -> Bool { statusCodes.contains(status) || expiredStatusCodes.contains(status) }
}
