import FerryCore
import FerryRules
import Foundation
import NIOCore

/// A connection that is ready for requests. Used on its event loop only.
///
/// Each transport is one class that conforms to this protocol.
protocol HTTPConnection: AnyObject {
    var version: ConnectionPool.Version { get }
    /// Sends a request, and reports its events to it.
    ///
    /// - Returns: False if the connection cannot be used anymore. Nothing was sent.
    func send(_ request: PooledRequest) -> Bool
    /// Ends a request that was sent. Reports the error to it.
    func cancel(_ request: PooledRequest, _ error: any Error)
    /// Closes the connection, which fails its requests.
    func close()
}

/// The owner of a connection. Called on the event loop.
protocol HTTPConnectionOwner: AnyObject {
    /// A request has ended in any way.
    ///
    /// - Parameter isReusable: Whether the connection can take another request in its place.
    func ended(on id: ConnectionPool.ConnectionID, isReusable: Bool)
    /// The server has changed how many requests it takes at a time.
    func limited(_ id: ConnectionPool.ConnectionID, to limit: Int)
    /// The connection takes no more requests.
    func drained(_ id: ConnectionPool.ConnectionID)
    func closed(_ id: ConnectionPool.ConnectionID)
}

/// Facts about a connection, for its requests and their metrics.
struct ConnectionFacts: Sendable {
    /// When connecting began.
    var started = Date()
    /// When the connection was ready, including the handshakes with a proxy.
    var connected = Date()
    var secureStart: Date?
    var secureEnd: Date?
    var tlsVersion: FerryCore.TLSVersion?
    /// The server's certificates, if requests' advisors decide about them.
    var shown: ShownCertificates?
    var local: SocketAddress?
    var remote: SocketAddress?
}

/// Passes the events of one response to its receiver. The receiver takes one part at a time.
///
/// Parts received while it is busy wait here, and the socket is not read.
struct ResponseDelivery {
    enum Event {
        case part(ByteBuffer)
        case end(trailers: [HeaderField])
        case failure(any Error)
    }

    fileprivate var waiting: CircularBuffer<Event> = []
    fileprivate var isBusy = false
    /// Whether a read was requested while the receiver was busy.
    fileprivate var wantsRead = false

    /// Whether to stop reading from the socket.
    var isBlocked: Bool { isBusy }
    /// Whether the end of the response waits behind parts.
    fileprivate(set) var hasEnd = false
}

/// A connection or stream with one response at a time.
protocol ResponseCarrier: AnyObject {
    var delivery: ResponseDelivery { get set }
    /// The request with the current response.
    var carried: PooledRequest? { get }
    /// The context of the handler that reads.
    var context: ChannelHandlerContext? { get }
    /// The receiver has taken all parts.
    func deliveredEnd(_ trailers: [HeaderField])
    /// The response ends with an error, after the parts received before.
    func deliveredFailure(_ error: any Error)
}

extension ResponseCarrier {
    /// Reads from the socket, or later if the receiver is busy.
    func readUnlessBusy(_ context: ChannelHandlerContext) {
        if delivery.isBlocked { delivery.wantsRead = true } else { context.read() }
    }

    /// Performs the read that was put off.
    func resumeReading() {
        guard delivery.wantsRead, let context else { return }
        delivery.wantsRead = false
        context.read()
    }

    /// Passes an event to the receiver, once the earlier events have been passed.
    func deliver(_ event: ResponseDelivery.Event) {
        switch event {
        case .end, .failure: delivery.hasEnd = true
        case .part: break
        }
        if delivery.isBusy { delivery.waiting.append(event) } else { pass(event) }
    }

    private func pass(_ event: ResponseDelivery.Event) {
        guard let request = carried else { return }
        switch event {
        case .end(let trailers): deliveredEnd(trailers)
        case .failure(let error): deliveredFailure(error)
        case .part(let part):
            guard let taken = request.receiver.received(part) else { return }
            delivery.isBusy = true
            taken.assumeIsolated().whenComplete { result in
                // A request that ended meanwhile has left nothing to do.
                guard self.carried === request else { return }
                self.delivery.isBusy = false
                switch result {
                case .success: self.passWaiting(of: request)
                case .failure(let error): self.deliveredFailure(error)
                }
            }
        }
    }

    private func passWaiting(of request: PooledRequest) {
        // A request without a connection may have ended meanwhile.
        if request.isOver { delivery.waiting = [] }
        while carried === request, !delivery.isBusy, let next = delivery.waiting.popFirst() { pass(next) }
        if carried !== request || !delivery.isBusy { resumeReading() }
    }
}
