import FerryCore
import FerryRules
import Foundation
import NIOCore
import Synchronization

/// One request and its response, on the one event loop of its client.
///
/// Call `head`, then exactly one of `receive`, `text` and `discard`. `stop` may be called at any time.
final class Exchange: Sendable {
    private let delegate: ExchangeDelegate
    private let task: any ExchangeTransport
    /// Completed once the response has ended, and with a success the request too.
    private let over: EventLoopFuture<Void>
    private let headFuture: EventLoopFuture<ReceivedHead>
    private let clock: WatchClock
    let timeouts: Timeouts
    let url: HTTPURL
    let key: ConnectionKey
    /// Whether the connection was opened before the request was known.
    private let wasOpenedEarly: Bool
    private let body: RequestBodyStream?
    let recorder: ExchangeRecorder?
    private let names: NameResolver

    /// - Parameter transport: Creates the transport, which reports to the delegate.
    init(
        to url: HTTPURL, key: ConnectionKey, engine: Engine, timeouts: Timeouts,
        recorder: ExchangeRecorder? = nil, body: RequestBodyStream? = nil,
        transport: (ExchangeDelegate) -> any ExchangeTransport
    ) {
        let loop = engine.loops[key.loop]
        let promise = loop.makePromise(of: ReceivedHead.self)
        clock = engine.loops.clock(key.loop)
        self.timeouts = timeouts
        self.url = url
        self.key = key
        self.recorder = recorder
        self.body = body
        names = engine.names
        wasOpenedEarly = false
        headFuture = promise.futureResult
        delegate = ExchangeDelegate(loop: loop, head: promise, recorder: recorder)
        task = transport(delegate)
        over = task.futureResult
        task.begin()
    }

    /// Creates the exchange of a request on a connection opened in advance.
    init(_ opened: Exchange, url: HTTPURL, timeouts: Timeouts) {
        (delegate, task, over, headFuture) = (opened.delegate, opened.task, opened.over, opened.headFuture)
        (clock, recorder, names) = (opened.clock, opened.recorder, opened.names)
        key = opened.key
        self.url = url
        self.timeouts = timeouts
        body = nil
        wasOpenedEarly = true
    }

    /// Whether a head was received, or none will be.
    var isOver: Bool { delegate.isOver }

    /// Whether the request was written to an open connection.
    private var wasAsked: Bool { recorder?.wasAsked == true }

    /// Whether the server may have seen the whole request, or has reported success without.
    var mayHaveSentAll: Bool {
        guard let recorder, !delegate.isSuccess else { return true }
        if recorder.isSent || body?.isFinished == true { return true }
        if body?.isPart == true, bytesSent > 0 { return true }
        guard let length = body?.length, length > 0 else { return false }
        return bytesSent >= length
    }

    /// Returns the meaning of an error thrown by `head` for the conversation.
    func meaning(of error: ServiceError) -> RequestFailure {
        switch error.code {
        case .connectionLost, .connectFailed:
            // A connection lost after its request may be a refusal (docs/behaviour/transfers.md#O34).
            if wasOpenedEarly, !wasAsked { return .unusedConnection }
            if error == ClientFailure.staleConnection { return .staleConnection }
            return error == ClientFailure.notOverHTTP2 ? .notOverHTTP2 : .other
        case .proxyAuthRequired: return .proxyRefused
        default: return .other
        }
    }

    /// Waits for the response head.
    ///
    /// - Throws: ``ServiceError`` for a failure of the client, `timed_out` if no head arrived in time.
    func head(isolation: isolated (any Actor)? = #isolation) async throws(ServiceError) -> ResponseHead {
        let watch = watch(timeouts.head, message: "did not answer", beforeRequest: timeouts.unanswered)
        let silence = silenceWatch()
        defer {
            watch.cancel()
            silence?.cancel()
        }
        let head: ResponseHead
        do {
            head = ResponseHead(try await headFuture.value(), url: url)
        } catch {
            if task.isOverHTTP2, ClientFailure.isOfHTTP2(error) { throw ClientFailure.notOverHTTP2 }
            throw ClientFailure.transferError(
                error, url: url, proxy: key.proxy, phase: .beforeHead, wasAsked: task.isAsked)
        }
        if let proxy = key.proxy, !proxy.tunnels(to: url), Self.isRefusal(head, of: proxy) {
            await discard()
            throw ProxyFailure.unauthorized(by: proxy, url: url)
        }
        recorder?.receivedHead(head)
        if silence != nil { names.responded(url.host) }
        return head
    }

    /// Ends the exchange early if the address has not responded yet, and the host has one of another family.
    private func silenceWatch() -> IdleWatch? {
        // A request that must not be repeated waits for its response.
        guard key.proxy == nil, url.host.isName, !names.hasResponded(url.host), let method = recorder?.facts.method,
            RepetitionRule.mayRepeat(method, wasSent: true)
        else { return nil }
        let (name, family) = (url.host, key.family)
        return watch(
            min(timeouts.unproven, timeouts.head), message: "did not answer", beforeRequest: timeouts.unanswered
        ) { [names] in names.isUnproven(name, family) }
    }

    /// Records that the address of a new connection did not respond.
    ///
    /// - Returns: Whether another address is left.
    func noteSilence(after error: ServiceError) -> Bool {
        switch error.code {
        case .timedOut, .connectionLost, .tlsFailed: break
        default: return false
        }
        guard key.proxy == nil, url.host.isName, !names.hasResponded(url.host) else { return false }
        if task.isAsked { names.silent(nil, for: url.host) }
        return names.hasOther(url.host, key.family)
    }

    /// Returns whether a head is the proxy's own request for credentials. An origin does not send proxy fields, and one
    /// that requires credentials names their scheme (RFC 9110 §11.6.1).
    private static func isRefusal(_ head: ResponseHead, of proxy: ProxyChoice) -> Bool {
        head.status == 407
            || head.status == 401 && proxy.credentials != nil && head.value("WWW-Authenticate") == nil
    }

    /// Writes the body to the file and waits for its end.
    ///
    /// - Throws: ``ServiceError``. Bytes received before stay written.
    func receive(isolation: isolated (any Actor)? = #isolation, into sink: BodySink) async throws(ServiceError) {
        let watch = watch(timeouts.idle, message: "stopped sending")
        defer { watch.cancel() }
        do {
            try await take(.sink(sink))
        } catch is EnoughReceived {
            return
        } catch {
            throw ClientFailure.transferError(error, url: url, proxy: key.proxy, phase: .body)
        }
    }

    /// Collects a small body in memory and waits for its end.
    ///
    /// - Parameter progress: Updated with the received bytes.
    /// - Returns: Up to `size` bytes of the body, and the error that ended it early.
    func gather(
        isolation: isolated (any Actor)? = #isolation, _ size: Int, _ progress: TransferProgress
    ) async -> (bytes: ByteBuffer, failure: ServiceError?) {
        // A response may be complete before its request is. It counts only if all of the request is sent.
        if isRequestOut, let whole = delegate.takeWhole(size) { return (whole, nil) }
        let watch = watch(timeouts.idle, message: "stopped sending")
        defer { watch.cancel() }
        do {
            try await take(.gathered(ByteBuffer(), size: size, dropped: 0, progress))
        } catch is EnoughReceived {
            return (delegate.gathered, nil)
        } catch {
            return (delegate.gathered, ClientFailure.transferError(error, url: url, proxy: key.proxy, phase: .body))
        }
        return (delegate.gathered, nil)
    }

    /// Passes the body to a queue. The end of the body follows the parts received before the head was judged.
    func hand(to queue: PartQueue) {
        let (url, key) = (url, key)
        delegate.accept(.handed(queue)).whenComplete { result in
            if case .failure(let error) = result { self.end(error) }
            self.over.whenComplete { result in
                switch result {
                case .success: queue.end(nil)
                case .failure(let error):
                    queue.end(ClientFailure.transferError(error, url: url, proxy: key.proxy, phase: .body))
                }
            }
        }
    }

    /// Calls the closure on the event loop once the exchange has finished in any way.
    func whenOver(_ body: @escaping @Sendable () -> Void) {
        over.whenComplete { _ in body() }
    }

    /// Times and byte counts known so far, or `nil` without a recorder.
    var facts: ExchangeFacts? { recorder?.facts }

    /// Seconds from the request on an open connection to its head, or `nil` while unknown.
    var roundTrip: Double? { recorder?.roundTrip }

    /// The trailers of the response, once it is complete.
    var trailers: [HeaderField] { delegate.trailers }

    /// The certificates awaiting the client's decision, if the exchange failed for them.
    var pendingTrust: TrustChallenge? { recorder?.pendingTrust }

    /// Request body bytes that left through the socket.
    var bytesSent: Int64 { recorder?.bytesSent.load(ordering: .relaxed) ?? 0 }

    /// Returns the beginning of an error body as text for the error's details, and ends the exchange.
    func text(isolation: isolated (any Actor)? = #isolation, limit: Int = 4096) async -> String {
        let watch = watch(5, message: "stopped sending")
        defer { watch.cancel() }
        _ = try? await take(.text(ByteBuffer(), limit: limit))
        return delegate.text
    }

    /// Drops a short unwanted body, so that its connection stays usable. For a long body the connection is closed.
    func discard(isolation: isolated (any Actor)? = #isolation) async {
        let watch = watch(5, message: "stopped sending")
        defer { watch.cancel() }
        _ = try? await take(.dropped(0))
    }

    /// Ends an unwanted response, without waiting for the request's body.
    func drop(isolation: isolated (any Actor)? = #isolation) async {
        if isRequestOut { await discard() } else { await close() }
    }

    /// Whether the connection has taken the whole request.
    private var isRequestOut: Bool { body.map { recorder?.isSent == true || $0.isFinished } ?? true }

    /// Receives the body and waits for the end of the response.
    private func take(
        isolation: isolated (any Actor)? = #isolation, _ body: ExchangeDelegate.Body
    ) async throws {
        do {
            try await delegate.accept(body).value()
        } catch {
            end(error)
            _ = try? await over.value()
            throw error
        }
        try await over.value()
    }

    /// Ends the exchange and closes its connection at once.
    func stop() { stop(with: ExchangeEnd.stopped) }

    /// Ends the exchange with an error of the engine's own.
    func stop(with error: ServiceError) { end(error) }

    /// Ends a response of which no more bytes are wanted. The receiving task treats this as the end of the body.
    func finish() { end(EnoughReceived()) }

    /// Closes the connection of a response with an unread body, and waits until it is closed.
    func close(isolation: isolated (any Actor)? = #isolation) async {
        end(EnoughReceived())
        _ = try? await over.value()
    }

    /// Fails the request. Completes the promises that the client waits for, because it would not notice the failure
    /// otherwise.
    private func end(_ error: any Error) {
        task.fail(reason: error)
        delegate.abandon(error)
        body?.end(with: error)
    }

    /// Ends the exchange after this many idle seconds. Time spent on a client's decision does not count.
    ///
    /// - Parameter total: Seconds until the end while no connection has taken the request.
    /// - Parameter condition: Whether to end it, asked when the time is over.
    func watch(
        _ seconds: Double, message: String, beforeRequest total: Double? = nil,
        if condition: @escaping @Sendable () -> Bool = { true }
    ) -> IdleWatch {
        let seconds = min(seconds, IdleWatch.longest)
        let lead = min(total ?? seconds, IdleWatch.longest) - seconds
        let earliest = NIODeadline.now() + .nanoseconds(Int64(lead * 1e9))
        let error = IdleWatch.expiry(of: url, message, after: seconds)
        let (task, delegate, recorder, body) = (task, delegate, recorder, body)
        delegate.touch()
        return IdleWatch(
            on: clock, limit: .nanoseconds(Int64(seconds * 1e9)),
            activity: {
                let activity = NIODeadline.uptimeNanoseconds(delegate.activity.load(ordering: .relaxed))
                return max(activity, recorder?.patience ?? activity, task.isAsked ? activity : earliest)
            },
            expired: {
                guard condition() else { return }
                task.fail(reason: error)
                delegate.abandon(error)
                body?.end(with: error)
            })
    }
}

extension ResponseHead {
    init(_ head: ReceivedHead, url: HTTPURL) {
        self.init(status: head.status, major: head.major, fields: head.fields, url: url.string, origin: url.origin)
    }
}

extension EventLoopFuture where Value: Sendable {
    /// Waits for the value in the caller's isolation. `get` would switch to another thread and back.
    func value(isolation: isolated (any Actor)? = #isolation) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            whenComplete { continuation.resume(with: $0) }
        }
    }
}

/// Deliberate ends of an exchange that are not failures. Connections carry them as errors.
enum ExchangeEnd {
    /// The service stopped the transfer.
    static let stopped = ServiceError(.canceled, "The transfer was stopped.")
}

/// All wanted bytes have been received. The remaining response is dropped.
struct EnoughReceived: Error {}
