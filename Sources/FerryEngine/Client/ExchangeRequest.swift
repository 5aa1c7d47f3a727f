import AsyncHTTPClient
import FerryCore
import Foundation
import NIOCore
import NIOHTTP1

/// One request with everything that its connection depends on.
struct ExchangeRequest: Sendable {
    var url: HTTPURL
    var method: String
    var headers: HTTPHeaders
    var key: ClientPool.Key
    var timeouts: Timeouts
    var body: RequestBodyStream?
    /// Answers for certificates; without one the default evaluation decides.
    var advisor: (any ExchangeAdvisor)?
    var trust: TrustScope?
    var onInformational: (@Sendable (ResponseHead) -> Void)?
    var onSent: (@Sendable (Int64) -> Void)?
    /// Called with the size of each part of the response's body.
    var onReceived: (@Sendable (Int) -> Void)?
    /// Called once the request, but for its body, is out.
    var onAsked: (@Sendable () -> Void)?
    var nameWait: NameWait?

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

/// What is told of a look-up that takes long.
struct NameWait: Sendable {
    /// Shows that it takes long.
    let progress: TransferProgress
    /// Called after every change of that; a request whose name is found goes on once this returns.
    let changed: @Sendable () async -> Void
}

extension Engine {
    /// Sends a request, on a connection of the pool where one is free.
    func open(_ given: ExchangeRequest) throws(ServiceError) -> Exchange {
        let url = given.url
        var key = given.key
        // The HTTP client sees a connection to a proxy as one of plain HTTP/1.1.
        if key.proxy != nil { key.offersHTTP2 = false }
        var question: TrustQuestion?
        if let advisor = given.advisor, url.isSecure, !key.isInsecure {
            key.asksForTrust = true
            key.offersHTTP2 = false
            question = TrustQuestion(
                url: url, advisor: advisor, scope: given.trust, checksHost: !key.skipsHostVerification)
        }
        // No handler of ours stands between the client and a stream of HTTP/2, so the client itself has to know the target.
        if key.offersHTTP2 {
            // Over HTTP/2 the client traps at an answer that comes before the end of a request's body.
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
            onAsked: given.onAsked)
        // Over HTTP/2 nothing would take the mark off.
        let mark = key.offersHTTP2 ? nil : clients.directory.mark(&headers, for: recorder)
        let request: HTTPClient.Request
        do {
            let asked = mark == nil ? url.withoutFragment.string : url.connectionURL(for: key)
            request = try HTTPClient.Request(
                url: asked, method: HTTPMethod(rawValue: given.method), headers: headers,
                body: given.body?.body(on: loops[key.loop]))
        } catch {
            if let mark { clients.directory.remove(mark) }
            throw ServiceError(.invalidURL, "“\(url.redacted)” cannot be asked (\(error)).")
        }
        let exchange = Exchange(
            request, url: url, key: key, engine: self, timeouts: given.timeouts, recorder: recorder,
            body: given.body, mayBeHTTP2: key.offersHTTP2, nameWait: given.nameWait)
        exchange.whenOver { [directory = clients.directory, body = given.body] in
            if let mark { directory.remove(mark) }
            body?.end()
        }
        return exchange
    }
}

extension HTTPURL {
    /// What the HTTP client is told of a URL: where to connect to. The connection puts the target in the place of the slash.
    func connectionURL(for key: ClientPool.Key) -> String {
        // A connection that starts TLS itself is one of plain HTTP to the client, and so is one to a proxy.
        if let proxy = key.proxy, let place = try? HTTPURL(parsing: "http://\(proxy.host):\(proxy.port)/") {
            return "http://\(place.connectionHost):\(proxy.port)/"
        }
        let scheme = key.asksForTrust ? "http" : scheme
        return "\(scheme)://\(connectionHost):\(port)/"
    }

    /// The host without what is for resolvers alone, and without the zone of an address that is in no zone: the system's resolver
    /// takes one for link-local addresses only (RFC 4007 §11).
    private var connectionHost: String {
        guard let zone = host.firstRange(of: "%25"), !isLinkLocalLiteral else { return host.withoutFinalStop }
        return host[..<zone.lowerBound] + "]"
    }

    /// Whether the HTTP client, which reads URLs by Foundation, would ask for exactly this URL's target and name its host to TLS.
    fileprivate var isReadByClient: Bool {
        guard host == host.withoutFinalStop, let read = URL(string: withoutFragment.string),
            let path = URLComponents(url: read, resolvingAgainstBaseURL: true)?.percentEncodedPath
        else { return false }
        return (read.path.isEmpty ? "/" : path) + (read.query.map { "?" + $0 } ?? "") == requestTarget
    }
}

extension String {
    /// A host's name as TLS has it (RFC 6066 §3): the full stop that ends an absolute name is for resolvers alone.
    var withoutFinalStop: String { hasSuffix(".") ? String(dropLast()) : self }
}
