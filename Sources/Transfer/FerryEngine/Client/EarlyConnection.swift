import AsyncHTTPClient
import FerryCore
import NIOCore
import NIOHTTP1

/// A connection opened before its request is known, so that the request need not wait for handshakes.
///
/// The HTTP client sees a request from the beginning. The connection holds it back and sends the real request in its
/// place once that is known. If none comes, it sends nothing.
final class EarlyConnection: Sendable {
    let key: ClientPool.Key
    let origin: Origin
    private let exchange: Exchange
    private let head: EventLoopPromise<HTTPRequestHead>

    init(_ exchange: Exchange, head: EventLoopPromise<HTTPRequestHead>, key: ClientPool.Key, origin: Origin) {
        self.exchange = exchange
        self.head = head
        self.key = key
        self.origin = origin
    }

    /// Sends a request once the connection is open.
    ///
    /// - Returns: `nil` if the request needs another connection or this one is closed.
    func ask(_ given: ExchangeRequest) -> Exchange? {
        guard given.key == key, given.url.origin == origin, given.method == "GET", given.body == nil,
            given.advisor == nil, !isOver, given.headers.allSatisfy({ $0.value.isSafeInField })
        else { return nil }
        var headers = given.headers
        // The request has no body.
        headers.remove(name: "Content-Length")
        headers.remove(name: "Transfer-Encoding")
        exchange.recorder?.begin(url: given.url, headers: headers)
        head.succeed(HTTPRequestHead(version: .http1_1, method: .GET, uri: given.url.requestTarget, headers: headers))
        return Exchange(exchange, url: given.url, timeouts: given.timeouts)
    }

    /// Whether the connection can serve no request.
    var isOver: Bool { exchange.isOver }

    func close() { exchange.stop() }
}

extension Engine {
    /// Opens a connection for a request that is not known yet.
    ///
    /// - Parameters:
    ///   - key: The connection's properties. The request's must be the same.
    ///   - onReceived: Called with the size of each part of the response body.
    func openEarly(
        _ url: HTTPURL, key: ClientPool.Key, onReceived: (@Sendable (Int) -> Void)? = nil
    ) throws(ServiceError) -> EarlyConnection {
        let loop = loops[key.loop]
        let head = loop.makePromise(of: HTTPRequestHead.self)
        let recorder = ExchangeRecorder(
            url: url, method: "GET", headers: [:], proxy: key.proxy, laterHead: head.futureResult,
            onReceived: onReceived)
        var headers = HTTPHeaders()
        let mark = clients.directory.mark(&headers, for: recorder)
        let request: HTTPClient.Request
        do {
            request = try HTTPClient.Request(url: url.connectionURL(for: key), headers: headers)
        } catch {
            clients.directory.remove(mark)
            head.fail(error)
            throw ServiceError(.invalidURL, "“\(url.redacted)” cannot be requested (\(error)).")
        }
        let timeouts = configuration.timeouts
        let exchange = try Exchange(to: url, key: key, engine: self, timeouts: timeouts, recorder: recorder) {
            RoutedRequest(request, url: url, key: key, engine: self, delegate: $0, timeouts: timeouts)
        }
        exchange.whenOver { [directory = clients.directory] in
            directory.remove(mark)
            head.fail(ExchangeEnd.stopped)
        }
        return EarlyConnection(exchange, head: head, key: key, origin: url.origin)
    }
}
