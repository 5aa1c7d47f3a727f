// Ferry: FerryEngine
// From the request to the final head.

import FerryCore
import Foundation
import NIOHTTP1

extension Load {
    /// What changes from one request to the next.
    private struct Step {
        var url: HTTPURL
        var method: String
        var fields: [HeaderField]
        /// The origin that `fields` were given for.
        var home: Origin
        var body: LoadSending
        var chain: RedirectChain
        var server = Authenticator()
        var proxy: ProxyChoice?
        var proxyFailures = 0
        var proposed: Credentials?
        var replacedConnections = 0
    }

    /// What comes after a response.
    private enum Next {
        case result
        case again
    }

    func course() async throws(TransferError) -> ResponseHead {
        try RequestFieldRule.checkMethod(request.method)
        let url = try HTTPURL(parsing: request.url)
        var step = Step(
            url: url.withoutUserinfo, method: request.method, fields: request.fields, home: url.origin,
            body: LoadSending(request.body), chain: RedirectChain(start: url, method: request.method))
        step.proposed = request.credentials ?? url.credentials
        step.proxy = try proxy(for: url)
        while true {
            try checkCanceled()
            note(url: step.url, method: step.method, fields: step.fields)
            guard let (exchange, head) = try await ask(&step) else { continue }
            let next: Next
            switch head.status {
            case 401, 407: next = try await challenged(head, exchange, &step)
            case 301, 302, 303, 307, 308: next = try await redirected(head, exchange, &step)
            default: next = .result
            }
            guard case .result = next else { continue }
            try checkCanceled()
            try accept(head, exchange, method: step.method)
            return head
        }
    }

    // MARK: One request

    /// - Returns: nil if the same is to be asked again.
    private func ask(_ step: inout Step) async throws(TransferError) -> (Exchange, ResponseHead)? {
        let body = try await step.body.next(disk: engine.disk)
        let hasOwnCookies = step.fields.contains { $0.isNamed("Cookie") }
        let cookies = hasOwnCookies ? nil : await advisor?.cookies(for: step.url)
        let authorization = step.server.authorization(
            method: step.method, target: step.url.requestTarget, clientNonce: DigestHashing.clientNonce(),
            digester: DigestHashing.digest)
        let headers = LoadFields.headers(
            for: step.url, fields: step.fields, cookies: cookies, authorization: authorization,
            decodes: request.decodes)
        var key = ClientPool.Key(proxy: step.proxy)
        key.loop = loop
        key.isInsecure = request.insecure
        (key.minimumTLS, key.maximumTLS) = (request.minimumTLS, request.maximumTLS)
        var asked = ExchangeRequest(
            url: step.url, method: step.method, headers: headers, key: key, timeouts: timeouts)
        (asked.body, asked.advisor, asked.trust) = (body, advisor, request.trust)
        let exchange = try open(asked)
        let head: ResponseHead
        do throws(TransferError) {
            head = try await exchange.head()
        } catch
            where error == ClientFailure.staleConnection && step.replacedConnections < 2
            && isRepeatable(step.method, body)
        {
            step.replacedConnections += 1
            return nil
        } catch  where error.code == .proxyAuthRequired && step.proxy != nil {
            try await answerProxy(error, &step)
            return nil
        }
        if let fault = head.framingFault {
            exchange.stop()
            throw TransferError(
                .badResponse, "The answer of \(step.url.host) cannot be read: it has \(fault).",
                details: ErrorDetails(url: step.url.redacted))
        }
        let set = head.values("Set-Cookie")
        if !set.isEmpty { await advisor?.receivedCookies(set, from: step.url) }
        return (exchange, head)
    }

    /// Whether a request may be sent again although the server may have seen it (RFC 9110 §9.2.2).
    private func isRepeatable(_ method: String, _ body: RequestBodyStream?) -> Bool {
        ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"].contains(method) || body?.isFinished == false
    }

    private var timeouts: Timeouts {
        var timeouts = engine.configuration.timeouts
        let idle = request.idleTimeout ?? .infinity
        timeouts.connect = min(timeouts.connect, idle)
        timeouts.head = idle - timeouts.connect
        timeouts.idle = idle
        return timeouts
    }

    private func proxy(for url: HTTPURL) throws(TransferError) -> ProxyChoice? {
        try ProxyRule.choose(for: url, environment: request.proxyEnvironment ?? engine.configuration.environment)
    }

    private func accept(_ head: ResponseHead, _ exchange: Exchange, method: String) throws(TransferError) {
        let hasBody = method != "HEAD" && ![204, 205, 304].contains(head.status)
        var coding: ContentDecoder.Coding?
        // A part of encoded data cannot be decoded.
        if request.decodes, hasBody, head.status != 206 {
            do throws(TransferError) {
                coding = try ContentDecoder.coding(of: head)
            } catch  where request.fields.contains(where: { $0.isNamed("Accept-Encoding") }) {
                // Who names the codings takes what comes.
                coding = nil
            }
        }
        try begin(exchange, coding: coding, expected: hasBody ? head.contentLength : nil)
    }

    // MARK: Redirects

    private func redirected(
        _ head: ResponseHead, _ exchange: Exchange, _ step: inout Step
    ) async throws(TransferError) -> Next {
        guard let location = head.value("Location") else { return .result }
        let steps = step.chain.count
        let redirect = try RedirectRule.next(
            from: step.url, to: location, status: head.status, method: step.method,
            policy: RedirectPolicy(allowPrivateRedirects: true), chain: &step.chain,
            // Only the number of redirects ends them: a server may answer the same request otherwise the next time.
            secrets: { _ in String(steps) })
        let keepsBody = !step.body.isEmpty && redirect.method == step.method
        var fields = RequestFields.forOrigin(
            redirect.url.origin, fields: step.fields, givenFor: step.home, foreignFields: request.foreignFields)
        if redirect.method != step.method { fields = LoadFields.withoutBody(fields) }
        var target = (url: redirect.url, method: redirect.method, fields: fields)
        if let advisor {
            let proposal = ProposedRedirect(
                head: head, url: redirect.url.string, method: redirect.method, fields: fields, keepsBody: keepsBody)
            switch await advisor.redirect(proposal) {
            case .follow: break
            case .stay: return .result
            case .cancel: throw ExchangeEnd.stopped
            case .followOther(let url, let method, let fields):
                target = (try HTTPURL(parsing: url), method, fields)
                step.home = target.url.origin
            }
            try checkCanceled()
        }
        await exchange.discard()
        if target.url.origin != step.url.origin {
            step.server = Authenticator()
            step.proposed = nil
        }
        if let own = target.url.credentials { step.proposed = own }
        if !keepsBody || target.method == "GET" || target.method == "HEAD" { step.body.drop() }
        // What was dropped on the way to another origin stays dropped on the way back.
        if step.home != target.url.origin { step.home = target.url.origin }
        (step.url, step.method, step.fields) = (target.url.withoutUserinfo, target.method, target.fields)
        step.proxy = try proxy(for: step.url)
        return .again
    }

    // MARK: Challenges

    private func challenged(
        _ head: ResponseHead, _ exchange: Exchange, _ step: inout Step
    ) async throws(TransferError) -> Next {
        var next = step.server.received(
            head, host: step.url.host, port: step.url.port, isSecure: step.url.isSecure, proposed: step.proposed)
        while case .ask(let challenge) = next {
            next = step.server.answered(await advisor?.answer(challenge) ?? .performDefault)
            try checkCanceled()
        }
        switch next {
        case .send:
            await exchange.discard()
            return .again
        case .result, .wait, .ask: return .result
        case .cancel: throw ExchangeEnd.stopped
        }
    }

    /// The HTTP client does not pass on what the proxy said, so Basic is what is asked about.
    private func answerProxy(_ error: TransferError, _ step: inout Step) async throws(TransferError) {
        guard let proxy = step.proxy, let advisor else { throw error }
        if proxy.credentials != nil { step.proxyFailures += 1 }
        var challenge = AuthenticationChallenge(
            scheme: .basic, realm: nil, host: proxy.host, port: proxy.port, isSecure: false, isProxy: true)
        challenge.previousFailures = step.proxyFailures
        switch await advisor.answer(challenge) {
        case .credentials(let credentials): step.proxy = proxy.replacing(credentials)
        case .cancel: throw ExchangeEnd.stopped
        case .performDefault, .rejectProtectionSpace, .wait: throw error
        }
    }
}
