import AsyncHTTPClient
import FerryCore
import FerryRules
import Foundation
import NIOCore
import NIOHTTP1

/// One request and everything that its connection depends on.
struct ExchangeRequest: Sendable {
    var url: HTTPURL
    var method: String
    var headers: HTTPHeaders
    var key: ClientPool.Key
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

    init(url: HTTPURL, method: String = "GET", headers: HTTPHeaders, key: ClientPool.Key, timeouts: Timeouts) {
        self.url = url
        self.method = method
        self.headers = headers
        self.key = key
        self.timeouts = timeouts
    }

    init(_ request: OutgoingRequest, key: ClientPool.Key, timeouts: Timeouts) {
        self.init(
            url: request.url, method: request.method, headers: HTTPHeaders(request.fields.map { ($0.name, $0.value) }),
            key: key, timeouts: timeouts)
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
        // To the HTTP client, a connection to a proxy is plain HTTP/1.1.
        if key.proxy != nil { key.offersHTTP2 = false }
        var question: TrustQuestion?
        if let advisor = given.advisor, url.isSecure, !key.isInsecure {
            key.asksForTrust = true
            key.offersHTTP2 = false
            question = TrustQuestion(
                url: url, advisor: advisor, scope: given.trust, checksHost: !key.skipsHostVerification)
        }
        // No handler of the engine sits between the client and an HTTP/2 stream, so the client itself needs the target.
        if key.offersHTTP2 {
            // Over HTTP/2 the client traps if a response arrives before the end of a request's body.
            key.offersHTTP2 = given.body == nil && url.isReadByClient && !clients.refusals.contains(url.origin)
        }
        let informed = given.onInformational.map { inform in
            { @Sendable (head: HTTPResponseHead) in inform(ResponseHead(head, url: url)) }
        }
        var headers = given.headers
        let forwarder = key.proxy.flatMap { $0.tunnels(to: url) ? nil : $0 }
        if let credentials = forwarder?.credentials {
            headers.replaceOrAdd(name: "Proxy-Authorization", value: credentials.basicAuthorization)
        }
        let recorder = ExchangeRecorder(
            url: url, method: given.method, headers: headers, proxy: key.proxy, trust: question,
            onInformational: informed, onSent: given.onSent, onReceived: given.onReceived,
            onAsked: given.onAsked, isDetailed: given.isDetailed)
        // Over HTTP/2 no handler would remove the mark.
        let mark = key.offersHTTP2 ? nil : clients.directory.mark(&headers, for: recorder)
        let request: HTTPClient.Request
        do {
            let asked = mark == nil ? url.withoutFragment.string : url.connectionURL(for: key)
            request = try HTTPClient.Request(
                url: asked, method: HTTPMethod(rawValue: given.method), headers: headers,
                body: given.body?.body(on: loops[key.loop]))
        } catch {
            if let mark { clients.directory.remove(mark) }
            throw ServiceError(.invalidURL, "“\(url.redacted)” cannot be requested (\(error)).")
        }
        let exchange = try Exchange(
            to: url, key: key, engine: self, timeouts: given.timeouts, recorder: recorder, body: given.body,
            mayBeHTTP2: key.offersHTTP2
        ) {
            RoutedRequest(
                request, url: url, key: key, engine: self, delegate: $0, timeouts: given.timeouts,
                nameWait: given.nameWait, body: given.body)
        }
        exchange.whenOver { [directory = clients.directory, body = given.body] in
            if let mark { directory.remove(mark) }
            body?.end()
        }
        return exchange
    }
}

extension HTTPURL {
    /// Returns the URL given to the HTTP client, which only says where to connect. The connection replaces the slash
    /// with the target.
    func connectionURL(for key: ClientPool.Key) -> String {
        // To the client, a connection that starts TLS itself or leads to a proxy is plain HTTP.
        if let proxy = key.proxy, let place = try? HTTPURL(parsing: "http://\(proxy.host):\(proxy.port)/") {
            return "http://\(place.connectionHost):\(proxy.port)/"
        }
        let scheme = key.asksForTrust ? "http" : scheme
        return "\(scheme)://\(connectionHost):\(port)/"
    }

    /// The host without the final full stop, and without the zone of an address that has none: the system's resolver
    /// accepts a zone only for link-local addresses (RFC 4007 §11).
    private var connectionHost: String {
        guard host.utf8.contains(UInt8(ascii: "%")), let zone = host.firstRange(of: "%25"), !isLinkLocalLiteral else {
            return host.withoutFinalStop
        }
        return host[..<zone.lowerBound] + "]"
    }

    /// Whether the HTTP client, which parses URLs with Foundation, would send exactly this URL's target and use its
    /// host name for TLS.
    fileprivate var isReadByClient: Bool {
        guard host == host.withoutFinalStop, let read = URL(string: withoutFragment.string),
            let path = URLComponents(url: read, resolvingAgainstBaseURL: true)?.percentEncodedPath
        else { return false }
        return (read.path.isEmpty ? "/" : path) + (read.query.map { "?" + $0 } ?? "") == requestTarget
    }
}

extension String {
    /// Whether the client would send this field value (RFC 9110 §5.5).
    var isSafeInField: Bool { utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\t") } }

    /// The host name as TLS requires it (RFC 6066 §3): without the final full stop of an absolute name.
    var withoutFinalStop: String { hasSuffix(".") ? String(dropLast()) : self }
}
