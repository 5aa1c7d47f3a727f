// Ferry: FerryEngine
// Requests, redirects and the verdict on their answers.

import AsyncHTTPClient
import FerryCore
import Foundation
import NIOHTTP1

extension TransferRun {
    /// What the planner needs to know.
    func requestSituation(_ turn: Turn) -> RequestSituation {
        var situation = RequestSituation()
        situation.ranges = turn.restart == nil ? facts.ranges : ByteRangeSet()
        situation.identity = turn.restart == nil ? facts.identity : nil
        situation.hasExpectedDigest = !job.request.checksums.isEmpty
        situation.expectedSize = job.request.expectedSize
        situation.existing = existing?.identity
        situation.raw = raw
        situation.rangesOff = facts.rangesOff
        situation.bypassesCaches = facts.bypassesCaches
        situation.isUnconditional = turn.isUnconditional
        return situation
    }

    /// How the caller's own fields limit what may be asked.
    var raw: RawRequest? {
        guard let kind = try? RequestFieldRule.kind(method: "GET", fields: job.request.headers) else {
            return .verbatim
        }
        return switch kind {
        case .plain: RawRequest?.none
        case .ownRange(let range): .ownRange(range)
        case .raw: .verbatim
        }
    }

    /// Sends a request to the original URL, follows redirects, and judges the answer.
    ///
    /// Every try begins at the original URL, so that a signed target that has expired is made anew (spec X11).
    func ask(_ plan: PlannedRequest, _ turn: Turn) async throws(TransferError) -> Answer {
        var url = try HTTPURL(parsing: job.request.url)
        let home = url.origin
        var chain = RedirectChain(start: url, method: "GET", secrets: cookies.header(for: url))
        var hasReplacedConnection = false
        while true {
            try checkStopping()
            let exchange: Exchange
            let head: ResponseHead
            do throws(TransferError) {
                exchange = try send(plan, to: url, home: home, turn)
                head = try await exchange.head()
            } catch  where error == ClientFailure.staleConnection && !hasReplacedConnection {
                hasReplacedConnection = true
                continue
            } catch  where error.code == .hostNotFound {
                throw await resolverFailure(error, url)
            }
            for field in head.values("Set-Cookie") { cookies.store(setCookie: field, from: url, now: Date()) }
            let verdict = ResumeTable.decide(situation(plan.asked, .success(head), turn, url: url, home: home))
            guard case .follow(let location) = verdict.decision else {
                self.exchange = exchange
                return Answer(exchange: exchange, head: head, url: url, chain: chain, verdict: verdict)
            }
            await exchange.discard()
            let policy = RedirectPolicy(
                allowDowngrade: job.request.allowDowngrade, allowPrivateRedirects: job.request.allowPrivateRedirects)
            let redirect = try RedirectRule.next(
                from: url, to: location, status: head.status, method: "GET", policy: policy, chain: &chain,
                secrets: { cookies.header(for: $0) })
            try await pauseBeforeRedirect(head)
            url = redirect.url
        }
    }

    private func resolverFailure(_ error: TransferError, _ url: HTTPURL) async -> TransferError {
        let silent = await engine.disk.result { _ throws(DiskError) in Resolver.isSilent(about: url.host) }
        guard case .success(true) = silent else { return error }
        return TransferError(
            .dnsFailed, "The name \(url.host) cannot be looked up: the resolver did not answer.",
            details: error.details)
    }

    /// A server may ask for a moment between a redirect and its target: up to 10 s are spent in place (spec T5).
    private func pauseBeforeRedirect(_ head: ResponseHead) async throws(TransferError) {
        guard let value = head.retryAfter, let asked = RetryAfter(parsing: value, now: Date()) else { return }
        guard asked.seconds <= 10 else {
            retryAfter = value
            throw TransferError(.serverBusy, "The server asked to follow its redirect later.")
        }
        try? await Task.sleep(for: .seconds(asked.seconds))
        try checkStopping()
    }

    private func send(
        _ plan: PlannedRequest, to url: HTTPURL, home: Origin, _ turn: Turn
    ) throws(TransferError) -> Exchange {
        let environment = job.request.proxyEnvironment ?? engine.configuration.environment
        var key = ClientPool.Key(proxy: try ProxyRule.choose(for: url, environment: environment))
        key.loop = loop
        key.isInsecure = job.request.insecure
        key.offersHTTP2 = job.offersHTTP2 && url.isSecure
        key.isFresh = turn.isFresh
        let client = try engine.clients.client(key)
        let headers = fields(plan, for: url, home: home)
        let request: HTTPClient.Request
        do {
            request = try HTTPClient.Request(url: url.withoutFragment.string, method: .GET, headers: headers)
        } catch {
            throw TransferError(.invalidURL, "“\(url.redacted)” cannot be asked (\(error)).")
        }
        let exchange = Exchange(
            request, url: url, client: client, on: engine.loops[loop], timeouts: engine.configuration.timeouts,
            logger: engine.configuration.logger)
        self.exchange = exchange
        return exchange
    }

    /// The fields of one request: Ferry's, the caller's as far as they belong to this origin, and the plan's.
    private func fields(_ plan: PlannedRequest, for url: HTTPURL, home: Origin) -> HTTPHeaders {
        let given = RequestFields.forOrigin(url.origin, fields: job.request.headers, givenFor: home)
        var headers = HTTPHeaders(given.filter { !$0.isNamed("Range") }.map { ($0.name, $0.value) })
        headers.replaceOrAdd(name: "Host", value: url.hostField)
        if !headers.contains(name: "User-Agent") {
            headers.add(name: "User-Agent", value: "Ferry/\(FerryVersion.current)")
        }
        if !headers.contains(name: "Accept") { headers.add(name: "Accept", value: "*/*") }
        if !headers.contains(name: "Accept-Encoding") { headers.add(name: "Accept-Encoding", value: "identity") }
        if url.origin == home, let credentials = job.credentials, !headers.contains(name: "Authorization") {
            headers.add(name: "Authorization", value: credentials.basicAuthorization)
        }
        let own = headers[canonicalForm: "Cookie"].map(String.init)
        if let met = cookies.header(for: url) {
            headers.replaceOrAdd(name: "Cookie", value: (own + [met]).joined(separator: "; "))
        }
        for field in plan.fields { headers.replaceOrAdd(name: field.name, value: field.value) }
        return headers
    }

    private func situation(
        _ asked: Asked, _ response: Result<ResponseHead, TransferError>, _ turn: Turn, url: HTTPURL, home: Origin
    ) -> ResumeSituation {
        var situation = ResumeSituation(asked: asked, response: response)
        situation.ranges = facts.ranges
        situation.identity = facts.identity
        situation.hasExpectedDigest = !job.request.checksums.isEmpty
        situation.raw = raw
        situation.expectedSize = job.request.expectedSize
        situation.maxSize = job.request.maxSize
        situation.usedFreshConnection = turn.isFresh
        situation.restarts = facts.restarts
        // Basic credentials go with the first request, so a challenge finds none that were not sent.
        situation.hasUnsentCredentials = false
        return situation
    }
}
