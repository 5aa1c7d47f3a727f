import FerryCore
import FerryRules
import Foundation
import NIOCore
import Synchronization

/// Receives the events of one request and its response, on the event loop of its connection.
protocol ResponseReceiver: AnyObject, Sendable {
    /// Whether a head with a status of success was received.
    var isSuccess: Bool { get }
    /// The time until now was not the server's.
    func touch()
    /// Body bytes have left through the socket.
    func sentPart(_ count: Int)
    /// The connection has taken the whole request.
    func sentRequest()
    /// - Parameter head: The final head.
    func received(_ head: ReceivedHead)
    /// Takes a part of the body.
    ///
    /// - Returns: `nil` if the part is taken. Otherwise the next part follows when the future completes, and its error
    ///   ends the request.
    func received(_ part: ByteBuffer) -> EventLoopFuture<Void>?
    /// The response is complete, with these trailers. Nothing follows.
    func finishedResponse(_ trailers: [HeaderField])
    /// The request has ended without a complete response. Nothing follows.
    func failed(_ error: any Error)
}

/// One request on its way: it resolves the host's name if that is not known, waits for a connection, and passes the
/// connection's events to its receiver.
final class PooledRequest: ExchangeTransport {
    /// The head of a request, or of one for which a connection is opened in advance.
    enum Head: Sendable {
        case known(RequestHead)
        case later(EventLoopFuture<RequestHead>)
    }

    private struct State {
        /// Whether a connection has sent the request's head.
        var isAsked = false
        var isOverHTTP2 = false
        /// How many requests the connection took at a time at the end of this one.
        var places = 1
        /// The engine's own reason to end the request.
        var end: (any Error)?
        var isOver = false
        /// Ends the request if no connection is established in time.
        var bound: Scheduled<Void>?
    }

    /// Time that a name resolution may take before it is reported as slow.
    private static let promptLookup = TimeAmount.milliseconds(100)

    private static let numbers = Atomic(0)

    let id = ConnectionPool.RequestID(number: numbers.wrappingAdd(1, ordering: .relaxed).newValue)
    let target: ConnectionTarget
    let url: HTTPURL
    let method: String
    let body: RequestBodyStream?
    let receiver: any ResponseReceiver
    private let head: Head
    private let recorder: ExchangeRecorder?
    private let client: HTTPClient
    private let loop: any EventLoop
    private let timeouts: Timeouts
    private let nameWait: NameWait?
    private let done: EventLoopPromise<Void>
    private let state = Mutex(State())

    init(
        _ head: Head, to url: HTTPURL, method: String, on target: ConnectionTarget, client: HTTPClient,
        receiver: any ResponseReceiver, timeouts: Timeouts, recorder: ExchangeRecorder? = nil,
        nameWait: NameWait? = nil, body: RequestBodyStream? = nil
    ) {
        self.head = head
        self.url = url
        self.method = method
        self.target = target
        self.client = client
        self.receiver = receiver
        self.timeouts = timeouts
        self.recorder = recorder
        self.nameWait = nameWait
        self.body = body
        loop = client.loop(target.key.loop)
        done = loop.makePromise(of: Void.self)
    }

    var futureResult: EventLoopFuture<Void> { done.futureResult }

    var isAsked: Bool { state.withLock(\.isAsked) }

    /// Whether an HTTP/2 connection has taken the request.
    var isOverHTTP2: Bool { state.withLock(\.isOverHTTP2) }

    /// How many requests the connection took at a time at the end of this one.
    var places: Int { state.withLock(\.places) }

    /// Whether its end was reported.
    var isOver: Bool { state.withLock(\.isOver) }

    /// Whether the request has neither ended nor been stopped.
    var isWanted: Bool { state.withLock { !$0.isOver && $0.end == nil } }

    func begin() {
        if timeouts.boundsConnection { boundConnection() }
        if loop.inEventLoop { findConnection() } else { loop.execute { self.findConnection() } }
    }

    /// Gives up unless a connection takes the request within the request's own time limit. Connections have the
    /// engine's limit.
    private func boundConnection() {
        let bound = loop.scheduleTask(in: .wait(timeouts.connect)) { [self] in
            if !isAsked { fail(reason: ConnectionFailure.timedOut) }
        }
        state.withLock { $0.bound = bound }
    }

    /// Ends the request. A running name resolution is not interrupted.
    func fail(reason error: any Error) {
        let isFirst = state.withLock { state in
            guard !state.isOver, state.end == nil else { return false }
            state.end = error
            return true
        }
        guard isFirst else { return }
        loop.execute {
            self.client.cancel(self, error)
            // It may have no connection.
            self.failed(error)
        }
    }

    // MARK: Finding a connection

    private func findConnection() {
        guard isWanted else { return }
        guard nameWait != nil, !client.hasPlace(on: target) else { return client.submit(self) }
        waitForName()
    }

    /// Waits for the addresses of the host, and reports if that takes long. The connection looks them up again.
    private func waitForName() {
        let slow = loop.scheduleTask(in: Self.promptLookup) { [self] in
            guard let nameWait, isWanted else { return }
            nameWait.progress.waitsForName.store(true, ordering: .relaxed)
            Task { await nameWait.changed() }
        }
        client.names.addresses(of: target.host, on: loop, atMost: timeouts.connect).whenComplete { [self] result in
            slow.cancel()
            receiver.touch()
            // A request that yielded its slot continues only with a slot.
            guard let nameWait, nameWait.progress.waitsForName.exchange(false, ordering: .relaxed) else {
                return found(result)
            }
            loop.makeFutureWithTask { await nameWait.changed() }.whenComplete { [self] _ in found(result) }
        }
    }

    private func found(_ addresses: Result<[String], any Error>) {
        guard isWanted else { return }
        switch addresses {
        case .success: client.submit(self)
        case .failure(let error): failed(error)
        }
    }

    // MARK: Events of the connection

    /// Waits until the request is known and may be sent on a connection. Calls back at once if it may already be.
    func prepare(
        on facts: ConnectionFacts, _ loop: any EventLoop, _ ready: @escaping (Result<RequestHead, any Error>) -> Void
    ) {
        switch head {
        case .later(let later): later.assumeIsolated().whenComplete(ready)
        case .known(let head):
            guard target.key.asksForTrust else { return ready(.success(head)) }
            guard let recorder, let question = recorder.trust, let shown = facts.shown else {
                return ready(.failure(ServiceError(.internal, "A request has no advisor to ask about trust.")))
            }
            loop.makeFutureWithTask { await question.verdict(on: shown, recorder: recorder) }
                .assumeIsolated().whenSuccess { fault in ready(fault.map { .failure($0) } ?? .success(head)) }
        }
    }

    /// A connection sends the request's head now.
    func begins(_ head: RequestHead, on facts: ConnectionFacts, isReused: Bool, isOverHTTP2: Bool = false) {
        state.withLock { state in
            state.isAsked = true
            state.isOverHTTP2 = isOverHTTP2
            state.bound.take()?.cancel()
        }
        recorder?.began(head, with: body, on: facts, isReused: isReused)
    }

    func received(_ head: ReceivedHead) {
        recorder?.received(head)
        if !head.isInformational { receiver.received(head) }
    }

    /// - Parameter places: How many requests the connection takes at a time.
    func finished(_ trailers: [HeaderField], places: Int = 1) {
        guard end(nil) != nil else { return }
        state.withLock { $0.places = places }
        // An early answer may leave a part of the body.
        body?.end()
        receiver.finishedResponse(trailers)
        done.succeed()
    }

    func failed(_ error: any Error) {
        guard let error = end(error) ?? nil else { return }
        body?.end(with: error)
        receiver.failed(error)
        done.fail(error)
    }

    /// Ends the request once.
    ///
    /// - Returns: The error to report, or `nil` if the request had ended.
    private func end(_ error: (any Error)?) -> (any Error)?? {
        let end: (any Error)?? = state.withLock { state in
            guard !state.isOver else { return nil }
            state.isOver = true
            state.bound.take()?.cancel()
            return .some(error.map { state.end ?? $0 })
        }
        guard let end else { return nil }
        nameWait?.progress.waitsForName.store(false, ordering: .relaxed)
        let failure = end as? NameCache.Failure
        return .some(failure?.error(of: target.host, url: url, isProxy: target.key.proxy != nil) ?? end)
    }
}

/// Status and fields of a response, as a connection received them.
struct ReceivedHead: Hashable, Sendable {
    let status: Int
    /// Major version of HTTP: 1 or 2.
    let major: Int
    let fields: [HeaderField]

    init(status: Int, major: Int = 1, fields: [HeaderField]) {
        (self.status, self.major, self.fields) = (status, major, fields)
    }

    init(_ head: UnambiguousHead) { self.init(status: head.status.number, fields: head.fields) }

    /// Whether another head of the same response follows (RFC 9110 §15.2).
    var isInformational: Bool { status < 200 }

    /// Size in HTTP/1.1 syntax with an empty reason phrase, in bytes.
    var size: Int64 { 17 + fields.wireSize }
}
