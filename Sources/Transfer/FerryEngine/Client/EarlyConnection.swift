import FerryCore
import NIOCore

/// A connection opened before its request is known, so that the request need not wait for handshakes.
///
/// It is a request without a head. If none comes, nothing is sent.
final class EarlyConnection: Sendable {
    let key: ConnectionKey
    let origin: Origin
    private let exchange: Exchange
    private let head: EventLoopPromise<RequestHead>

    init(_ exchange: Exchange, head: EventLoopPromise<RequestHead>, key: ConnectionKey, origin: Origin) {
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
            given.advisor == nil, !isOver,
            let asked = try? RequestHead(given.method, given.url, given.fields, proxy: key.proxy)
        else { return nil }
        exchange.recorder?.begin(asked)
        head.succeed(asked)
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
        _ url: HTTPURL, key: ConnectionKey, onReceived: (@Sendable (Int) -> Void)? = nil
    ) -> EarlyConnection {
        let head = loops[key.loop].makePromise(of: RequestHead.self)
        let recorder = ExchangeRecorder(
            url: url, method: "GET", fields: [], proxy: key.proxy, onReceived: onReceived)
        let timeouts = configuration.timeouts
        let exchange = Exchange(to: url, key: key, engine: self, timeouts: timeouts, recorder: recorder) {
            PooledRequest(
                .later(head.futureResult), to: url, method: "GET", on: ConnectionTarget(key, for: url), client: client,
                receiver: $0, timeouts: timeouts, recorder: recorder)
        }
        exchange.whenOver { head.fail(ExchangeEnd.stopped) }
        return EarlyConnection(exchange, head: head, key: key, origin: url.origin)
    }
}
