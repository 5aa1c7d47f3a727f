import AsyncHTTPClient
import FerryCore
import Foundation
import NIOCore
import NIOHTTP1
import Synchronization

/// One request and its response, on the one event loop of its client.
///
/// Used in this order: `head`, then exactly one of `receive`, `text` and `discard`. `stop` may come at any time.
final class Exchange: Sendable {
    private let delegate: ExchangeDelegate
    private let task: RoutedRequest
    private let headFuture: EventLoopFuture<HTTPResponseHead>
    private let clock: WatchClock
    let timeouts: Timeouts
    let url: HTTPURL
    let key: ClientPool.Key
    /// Whether the server was offered HTTP/2.
    private let mayBeHTTP2: Bool
    /// Whether its connection was there before its request.
    private let wasOpenedEarly: Bool
    private let body: RequestBodyStream?
    let recorder: ExchangeRecorder?

    init(
        _ request: HTTPClient.Request, url: HTTPURL, key: ClientPool.Key, engine: Engine, timeouts: Timeouts,
        recorder: ExchangeRecorder? = nil, body: RequestBodyStream? = nil, mayBeHTTP2: Bool = false,
        nameWait: NameWait? = nil
    ) {
        let loop = engine.loops[key.loop]
        let promise = loop.makePromise(of: HTTPResponseHead.self)
        clock = engine.loops.clock(key.loop)
        self.timeouts = timeouts
        self.url = url
        self.key = key
        self.recorder = recorder
        self.body = body
        self.mayBeHTTP2 = mayBeHTTP2
        wasOpenedEarly = false
        headFuture = promise.futureResult
        delegate = ExchangeDelegate(loop: loop, head: promise, recorder: recorder)
        task = RoutedRequest(
            request, url: url, key: key, engine: engine, delegate: delegate, timeouts: timeouts,
            nameWait: nameWait)
        task.begin()
    }

    /// A request on a connection that was opened before it was known.
    init(_ opened: Exchange, url: HTTPURL, timeouts: Timeouts) {
        (delegate, task, headFuture) = (opened.delegate, opened.task, opened.headFuture)
        (clock, recorder, mayBeHTTP2) = (opened.clock, opened.recorder, opened.mayBeHTTP2)
        key = opened.key
        self.url = url
        self.timeouts = timeouts
        body = nil
        wasOpenedEarly = true
    }

    /// Whether a head has come, or none will.
    var isOver: Bool { delegate.isOver }

    /// Whether the request has been given to an open connection.
    private var wasAsked: Bool { recorder?.facts.requestStart != nil }

    /// Whether the server may have seen the whole request.
    var mayHaveSentAll: Bool {
        guard let recorder else { return true }
        if recorder.isSent || body?.isFinished == true { return true }
        if body?.isPart == true, bytesSent > 0 { return true }
        guard let length = body?.length, length > 0 else { return false }
        return bytesSent >= length
    }

    /// What an error that `head` has thrown means for the conversation.
    func meaning(of error: ServiceError) -> RequestFailure {
        switch error.code {
        case .connectionLost, .connectFailed:
            // One that goes after its request may be a refusal (docs/behaviour/transfers.md#O34).
            if wasOpenedEarly, !wasAsked { return .unusedConnection }
            if error == ClientFailure.staleConnection { return .staleConnection }
            return error == ClientFailure.notOverHTTP2 ? .notOverHTTP2 : .other
        case .proxyAuthRequired: return .proxyRefused
        default: return .other
        }
    }

    /// Waits for the head.
    ///
    /// - Throws: ``ServiceError`` by what the client reported, `timed_out` if no head came in time.
    func head() async throws(ServiceError) -> ResponseHead {
        let watch = watch(timeouts.head, message: "did not answer", beforeRequest: timeouts.unanswered)
        defer { watch.cancel() }
        let head: ResponseHead
        do {
            head = ResponseHead(try await headFuture.get(), url: url)
        } catch {
            if mayBeHTTP2, ClientFailure.isOfHTTP2(error) { throw ClientFailure.notOverHTTP2 }
            throw ClientFailure.transferError(
                error, url: url, proxy: key.proxy, phase: .beforeHead, wasAsked: task.isAsked)
        }
        if let proxy = key.proxy, !proxy.tunnels(to: url), Self.isRefusal(head, of: proxy) {
            await discard()
            throw ProxyFailure.unauthorized(by: proxy, url: url)
        }
        recorder?.receivedHead(head)
        return head
    }

    /// Whether a head is a proxy's own, which wants other credentials: an origin does not speak of proxies, and one that wants
    /// credentials says of which kind (RFC 9110 §11.6.1).
    private static func isRefusal(_ head: ResponseHead, of proxy: ProxyChoice) -> Bool {
        head.status == 407
            || head.status == 401 && proxy.credentials != nil && head.value("WWW-Authenticate") == nil
    }

    /// Lets the body into the file and waits for its end.
    ///
    /// - Throws: ``ServiceError``; what arrived before stays written.
    func receive(into sink: BodySink) async throws(ServiceError) {
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

    /// Lets a small body into memory and waits for its end.
    ///
    /// - Parameter progress: told of what comes.
    /// - Returns: up to `size` bytes of it, and what ended it early.
    func gather(_ size: Int, _ progress: TransferProgress) async -> (bytes: ByteBuffer, failure: ServiceError?) {
        if let whole = delegate.takeWhole(size) { return (whole, nil) }
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

    /// Lets the body into a queue; its end comes to the queue after everything that waited for the head to be judged.
    func hand(to queue: PartQueue) {
        let (task, url, key) = (task, url, key)
        delegate.accept(.handed(queue)).whenComplete { result in
            if case .failure(let error) = result { task.fail(reason: error) }
            task.futureResult.whenComplete { result in
                switch result {
                case .success: queue.end(nil)
                case .failure(let error):
                    queue.end(ClientFailure.transferError(error, url: url, proxy: key.proxy, phase: .body))
                }
            }
        }
    }

    /// Runs once the exchange is over, however it ended, on its event loop.
    func whenOver(_ body: @escaping @Sendable () -> Void) {
        task.futureResult.whenComplete { _ in body() }
    }

    /// Times and counts as far as they are known; nil without a recorder.
    var facts: ExchangeFacts? { recorder?.facts }

    /// Seconds from the request on an open connection to its head; nil while that is not known.
    var roundTrip: Double? {
        guard let facts = recorder?.facts, let sent = facts.requestStart, let answered = facts.responseStart else {
            return nil
        }
        return max(0, answered.timeIntervalSince(sent))
    }

    /// The certificates that wait for the client's decision, which is why the exchange failed.
    var pendingTrust: TrustChallenge? { recorder?.pendingTrust }

    /// Body bytes of the request that left through the socket.
    var bytesSent: Int64 { recorder?.bytesSent.load(ordering: .relaxed) ?? 0 }

    /// The beginning of a body that is no file, for an error's details; then the exchange ends.
    func text(limit: Int = 4096) async -> String {
        let watch = watch(5, message: "stopped sending")
        defer { watch.cancel() }
        _ = try? await take(.text(ByteBuffer(), limit: limit))
        return delegate.text
    }

    /// Drops an unwanted body quickly, so that its connection stays usable: a long body costs the connection.
    func discard() async {
        let watch = watch(5, message: "stopped sending")
        defer { watch.cancel() }
        _ = try? await take(.dropped(0))
    }

    /// Ends a response that is not wanted: a request whose body is still on its way is not waited for.
    func drop() async {
        let isOut = body.map { recorder?.isSent == true || $0.isFinished } ?? true
        if isOut { await discard() } else { await close() }
    }

    /// Lets the body come and waits for the end of the response.
    private func take(_ body: ExchangeDelegate.Body) async throws {
        do {
            try await delegate.accept(body).get()
        } catch {
            end(error)
            _ = try? await task.futureResult.get()
            throw error
        }
        try await task.futureResult.get()
    }

    /// Ends the exchange and its connection at once.
    func stop() { stop(with: ExchangeEnd.stopped) }

    /// Ends the exchange with an error of our own.
    func stop(with error: ServiceError) { end(error) }

    /// Ends a response of which no more bytes are wanted; the task that receives it takes that for the end of the body.
    func finish() { end(EnoughReceived()) }

    /// Closes the connection of a response whose body is not read, and waits until it is gone.
    func close() async {
        end(EnoughReceived())
        _ = try? await task.futureResult.get()
    }

    /// Fails the request; what the client waits for on our side is let go, or it would never hear of it.
    private func end(_ error: any Error) {
        task.fail(reason: error)
        delegate.abandon(error)
    }

    /// Longer than anything lasts, and short enough for nanoseconds: ten years.
    private static let longestWatch = 3650.0 * 86_400

    /// Ends the exchange once nothing has happened for so long; what the client decides meanwhile takes no time.
    ///
    /// - Parameter total: Seconds until the end while no connection has taken the request.
    func watch(_ seconds: Double, message: String, beforeRequest total: Double? = nil) -> IdleWatch {
        let seconds = min(seconds, Self.longestWatch)
        let lead = min(total ?? seconds, Self.longestWatch) - seconds
        let earliest = NIODeadline.now() + .nanoseconds(Int64(lead * 1e9))
        let error = ServiceError(
            .timedOut, "\(url.host) \(message) for \(Int(seconds)) s.", details: ErrorDetails(url: url.redacted))
        let task = task
        let (delegate, recorder) = (delegate, recorder)
        delegate.touch()
        return IdleWatch(
            on: clock, limit: .nanoseconds(Int64(seconds * 1e9)),
            activity: {
                let activity = NIODeadline.uptimeNanoseconds(delegate.activity.load(ordering: .relaxed))
                return max(activity, recorder?.patience ?? activity, task.isAsked ? activity : earliest)
            },
            expired: {
                task.fail(reason: error)
                delegate.abandon(error)
            })
    }
}

extension ResponseHead {
    init(_ head: HTTPResponseHead, url: HTTPURL) {
        self.init(
            status: Int(head.status.code), major: head.version.major,
            fields: head.headers.map { HeaderField(name: $0.name, value: $0.value) }, url: url.string,
            origin: url.origin)
    }
}

/// Ends of an exchange that are our own decision and no failure; carried as errors through the HTTP client.
enum ExchangeEnd {
    /// The service asked for the transfer to stop.
    static let stopped = ServiceError(.canceled, "The transfer was stopped.")
}

/// What was asked has arrived; the rest of the response is not wanted.
struct EnoughReceived: Error {}
