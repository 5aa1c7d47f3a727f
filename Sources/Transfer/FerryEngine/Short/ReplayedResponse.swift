import FerryCore
import FerryRules
import NIOCore

/// Gives an exchange a response that was received before the exchange began.
final class ReplayedResponse: ExchangeTransport {
    private let response: ReceivedResponse
    private let delegate: ExchangeDelegate
    private let loop: any EventLoop
    private let done: EventLoopPromise<Void>

    init(_ response: ReceivedResponse, on loop: any EventLoop, delegate: ExchangeDelegate) {
        (self.response, self.loop, self.delegate) = (response, loop, delegate)
        done = loop.makePromise(of: Void.self)
    }

    var futureResult: EventLoopFuture<Void> { done.futureResult }

    var isAsked: Bool { true }

    var isOverHTTP2: Bool { false }

    func begin() {
        loop.execute {
            let (head, body) = (self.response.head, self.response.body)
            self.delegate.sentRequest()
            self.delegate.received(head)
            // The body waits in memory for its destination.
            guard body.readableBytes > 0, let taken = self.delegate.received(body) else { return self.finish() }
            taken.assumeIsolated().whenComplete { _ in self.finish() }
        }
    }

    private func finish() {
        delegate.finishedResponse(response.trailers)
        done.succeed()
    }

    /// Has no effect: the response is complete.
    func fail(reason error: any Error) {}
}

extension Exchange {
    /// Creates the exchange of a request whose response has been received.
    convenience init(_ asked: ExchangeRequest, replaying response: ReceivedResponse, engine: Engine) {
        var key = asked.key
        key.loop = EngineLoops.home
        let recorder = ExchangeRecorder(
            url: asked.url, method: asked.method, fields: asked.fields, onReceived: asked.onReceived,
            isDetailed: asked.isDetailed)
        self.init(to: asked.url, key: key, engine: engine, timeouts: asked.timeouts, recorder: recorder) {
            ReplayedResponse(response, on: engine.loops[EngineLoops.home], delegate: $0)
        }
    }
}
