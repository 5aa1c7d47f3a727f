import FerryCore
import FerryRules
import NIOCore

/// One request and everything that its connection depends on.
struct ExchangeRequest: Sendable {
    var url: HTTPURL
    var method: String
    /// In wire order.
    var fields: [HeaderField]
    var key: ConnectionKey
    var timeouts: Timeouts
    var body: RequestBodyStream?
    /// Decides on certificates. Without one, the default evaluation does.
    var advisor: (any ExchangeAdvisor)?
    var trust: TrustScope?
    var onInformational: (@Sendable (ResponseHead) -> Void)?
    var onSent: (@Sendable (Int64) -> Void)?
    /// Called with the size of each part of the response body.
    var onReceived: (@Sendable (Int) -> Void)?
    /// Called once the request head has been sent.
    var onAsked: (@Sendable () -> Void)?
    var nameWait: NameWait?
    /// Whether everything about the exchange is recorded, for the client's metrics.
    var isDetailed = true

    init(url: HTTPURL, method: String = "GET", fields: [HeaderField], key: ConnectionKey, timeouts: Timeouts) {
        self.url = url
        self.method = method
        self.fields = fields
        self.key = key
        self.timeouts = timeouts
    }

    init(_ request: OutgoingRequest, key: ConnectionKey, timeouts: Timeouts) {
        self.init(url: request.url, method: request.method, fields: request.fields, key: key, timeouts: timeouts)
    }
}

/// Notifications about slow name resolution.
struct NameWait: Sendable {
    /// Shows that resolving takes long.
    let progress: TransferProgress
    /// Called after each change of `waitsForName`. A request with a resolved name continues when this returns.
    let changed: @Sendable () async -> Void
}

extension Engine {
    /// Sends a request, on an idle pooled connection if there is one.
    func open(_ given: ExchangeRequest) throws(ServiceError) -> Exchange {
        let url = given.url
        var key = given.key
        var question: TrustQuestion?
        if let advisor = given.advisor, url.isSecure, !key.isInsecure {
            key.asksForTrust = true
            question = TrustQuestion(
                url: url, advisor: advisor, scope: given.trust, checksHost: !key.skipsHostVerification)
        }
        // Bodies are sent over HTTP/1.1, where a server can answer early and keep what it got.
        if key.offersHTTP2 {
            key.offersHTTP2 = url.isSecure && given.body == nil && !client.refusals.contains(url.origin)
        }
        let informed = given.onInformational.map { inform in
            { @Sendable (head: ReceivedHead) in inform(ResponseHead(head, url: url)) }
        }
        let head = try RequestHead(given.method, url, given.fields, proxy: key.proxy)
        let recorder = ExchangeRecorder(
            url: url, method: given.method, fields: head.fields, proxy: key.proxy, trust: question,
            onInformational: informed, onSent: given.onSent, onReceived: given.onReceived,
            onAsked: given.onAsked, isDetailed: given.isDetailed)
        return Exchange(
            to: url, key: key, engine: self, timeouts: given.timeouts, recorder: recorder, body: given.body
        ) {
            PooledRequest(
                .known(head), to: url, method: given.method, on: ConnectionTarget(key, for: url), client: client,
                receiver: $0, timeouts: given.timeouts, recorder: recorder, nameWait: given.nameWait, body: given.body)
        }
    }
}
