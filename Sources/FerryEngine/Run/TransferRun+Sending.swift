// Ferry: FerryEngine
// One request of a try: its fields and its body.

import FerryCore
import Foundation
import NIOHTTP1
import Synchronization

extension TransferRun {
    /// Methods that may be sent again although the server may have seen them (RFC 9110 §9.2.2).
    private static let idempotent: Set<String> = ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"]

    func send(_ plan: PlannedRequest, _ course: Course, _ turn: Turn) async throws(TransferError) -> Exchange {
        var asked = try await exchangeRequest(plan, course, isFresh: turn.isFresh)
        if course.sendsBody, let body = job.request.body {
            asked.body = try await stream(body)
            asked.onSent = { [progress = job.progress] in progress.sent.store($0, ordering: .relaxed) }
        }
        job.progress.sent.store(0, ordering: .relaxed)
        asked.onAsked = opening(beside: asked, turn)
        asked.nameWait = NameWait(progress: job.progress) { [journal, id = job.id] in await journal.nameChanged(id) }
        try checkStopping()
        let exchange = try engine.open(asked)
        self.exchange = exchange
        if job.request.note != nil, let recorder = exchange.recorder { recorders.append(recorder) }
        return exchange
    }

    /// A request without its body.
    ///
    /// - Parameter worker: the event loop of an extra worker, which has an HTTP/1.1 connection of its own.
    func exchangeRequest(
        _ plan: PlannedRequest, _ course: Course, isFresh: Bool = false, worker: Int? = nil
    ) async throws(TransferError) -> ExchangeRequest {
        try await prepareTrust(for: course.url)
        var key = try workerKey(for: course.url)
        key.loop = worker ?? loop
        key.offersHTTP2 = job.offersHTTP2 && course.url.isSecure && !course.sendsBody && worker == nil
        key.isFresh = isFresh
        let headers = try await fields(plan, course)
        var asked = ExchangeRequest(
            url: course.url, method: course.method, headers: headers, key: key, timeouts: timeouts)
        asked.advisor = job.advisor
        asked.onReceived = job.progress.counting
        return asked
    }

    /// What the connections of extra workers depend on, but for their event loops.
    func workerKey(for url: HTTPURL) throws(TransferError) -> ClientPool.Key {
        var key = ClientPool.Key(proxy: try proxy(for: url))
        key.isInsecure = job.request.insecure
        key.skipsHostVerification = job.request.skipsHostVerification
        (key.minimumTLS, key.maximumTLS) = (job.request.minimumTLS, job.request.maximumTLS)
        key.trust = try trust(for: url)
        return key
    }

    private var timeouts: Timeouts {
        var timeouts = engine.configuration.timeouts
        guard let idle = job.request.idleTimeout else { return timeouts }
        timeouts.connect = min(timeouts.connect, idle)
        timeouts.head = idle - timeouts.connect
        timeouts.idle = idle
        return timeouts
    }

    func proxy(for url: HTTPURL) throws(TransferError) -> ProxyChoice? {
        let environment = job.request.proxyEnvironment ?? engine.configuration.environment
        let proxy = try ProxyRule.choose(for: url, environment: environment)
        return proxyCredentials.flatMap { proxy?.replacing($0) } ?? proxy
    }

    // MARK: Fields

    /// The fields of one request: Ferry's, the caller's as far as they belong to this origin, and the plan's.
    private func fields(_ plan: PlannedRequest, _ course: Course) async throws(TransferError) -> HTTPHeaders {
        let url = course.url
        let isVerbatim = raw == .verbatim
        let given = course.given(job.request.foreignFields)
        // The plan asks for the caller's own range, or for what is left of it.
        var headers = HTTPHeaders(given.filter { isVerbatim || !$0.isNamed("Range") }.map { ($0.name, $0.value) })
        headers.replaceOrAdd(name: "Host", value: url.hostField)
        if !headers.contains(name: "User-Agent") {
            headers.add(name: "User-Agent", value: "Ferry/\(FerryVersion.current)")
        }
        if !headers.contains(name: "Accept") { headers.add(name: "Accept", value: "*/*") }
        if !headers.contains(name: "Accept-Encoding") { headers.add(name: "Accept-Encoding", value: "identity") }
        authorize(&headers, course)
        try await addCookies(&headers, url)
        for field in plan.fields { headers.replaceOrAdd(name: field.name, value: field.value) }
        return headers
    }

    private func addCookies(_ headers: inout HTTPHeaders, _ url: HTTPURL) async throws(TransferError) {
        let own = headers[canonicalForm: "Cookie"].map(String.init)
        if job.advisor == nil, job.request.cookies.isEmpty {
            guard let met = cookies.header(for: url) else { return }
            return headers.replaceOrAdd(name: "Cookie", value: (own + [met]).joined(separator: "; "))
        }
        // The client's own field takes the place of stored cookies.
        guard own.isEmpty else { return }
        let met: String?
        if let advisor = job.advisor {
            met = try await asked { await advisor.cookies(for: url) }
        } else {
            met = cookies.header(for: url)
        }
        if let value = GivenCookie.field(job.request.cookies, for: url, met: met) {
            headers.add(name: "Cookie", value: value)
        }
    }

    // MARK: The body

    private func stream(_ body: RequestBody) async throws(TransferError) -> RequestBodyStream {
        switch body {
        case .bytes(let data): return RequestBodyStream(data)
        case .file(let given): return try await stream(given)
        }
    }

    /// A file as it was when the request was made, and still is when its last byte has been read.
    private func stream(_ given: RequestBody.SentFile) async throws(TransferError) -> RequestBodyStream {
        let disk = engine.disk
        let opened = await disk.result { _ throws(DiskError) in
            Result { () throws(TransferError) in try SentFile(path: given.path) }
        }
        let file: SentFile
        switch opened {
        case .success(let result): file = try result.get()
        case .failure(let error): throw error.transferError
        }
        let changed = TransferError(
            .invalidRequest, "The file \(given.path.escapingControls) has changed since the request was made.",
            details: ErrorDetails(urlError: -1021))
        guard file.size == given.size, file.modified == given.modified else { throw changed }
        return RequestBodyStream(file, disk: disk) {
            let look = await disk.result { _ throws(DiskError) in file.isUnchanged }
            guard case .success(true) = look else { throw changed }
        }
    }

    // MARK: What was sent

    /// Refuses to make a request again that an earlier try sent whole, if its method forbids it.
    func checkRepeatable() throws(TransferError) {
        guard !Self.idempotent.contains(job.request.method), let sent = facts.bodySent,
            sent >= job.request.body?.length ?? 0
        else { return }
        throw TransferError(
            .connectionLost, "The request was sent before, and \(job.request.method) must not be sent twice.",
            as: .final)
    }

    /// Notes whether the request may be sent again.
    func noteSent(_ exchange: Exchange, _ course: Course) {
        let wasSent =
            if course.sendsBody, let body = job.request.body {
                exchange.bytesSent >= body.length
            } else {
                exchange.facts?.requestEnd != nil
            }
        if course.sendsBody { facts.bodySent = exchange.bytesSent }
        isUnrepeatable = wasSent && !Self.idempotent.contains(course.method)
        if isUnrepeatable, facts.bodySent == nil { facts.bodySent = 0 }
    }

    /// Keeps what is known of the last requests, for the client's metrics.
    func noteExchanges() {
        if let exchange, job.request.body != nil, exchange.bytesSent > facts.bodySent ?? 0 {
            facts.bodySent = exchange.bytesSent
        }
        guard !recorders.isEmpty else { return }
        // A transfer that was tried for days must not grow without bound.
        facts.exchanges = Array(((facts.exchanges ?? []) + recorders.map(\.facts)).suffix(64))
    }
}
