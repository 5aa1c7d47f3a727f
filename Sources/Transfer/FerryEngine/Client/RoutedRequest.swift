import AsyncHTTPClient
import FerryCore
import FerryRules
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// One request from name resolution to a connection: resolves the host or its proxy, and finds an address that
/// responds.
///
/// The HTTP client gets addresses and never resolves names itself. Until the request is sent, another address can
/// replace one that is unreachable or slow (RFC 8305). Later events go to the exchange's delegate.
final class RoutedRequest: ExchangeTransport, HTTPClientResponseDelegate {
    typealias Response = Void

    private struct State {
        /// Addresses not attempted.
        var untried: [String] = []
        var hasChoice = false
        /// The current address.
        var address: String?
        var task: HTTPClient.Task<Void>?
        /// Whether a connection has taken the request.
        var isAsked = false
        /// The next address, used once the attempt at the current one has ended.
        var next: String?
        /// The first address's error.
        var failure: (any Error)?
        /// The engine's own reason to end the exchange.
        var end: (any Error)?
        var isOver = false
        var timer: Scheduled<Void>?
        /// Ends the request if no connection is established in time.
        var bound: Scheduled<Void>?

        /// Bytes of the response body that are due, if its length is known.
        var missing: Int64?

        /// Whether the request waits for an address that has not responded.
        var isWaiting: Bool { !isOver && !isAsked && end == nil && next == nil }
    }

    /// Time before the other addresses are attempted in parallel (RFC 8305 §5).
    private static let connectionDelay = TimeAmount.milliseconds(250)

    /// Time that a name resolution may take before it is reported as slow.
    private static let promptLookup = TimeAmount.milliseconds(100)

    private let request: HTTPClient.Request
    private let url: HTTPURL
    private let key: ClientPool.Key
    private let clients: ClientPool
    private let certificates: DiskQueue
    private let names: NameResolver
    private let loop: any EventLoop
    private let delegate: ExchangeDelegate
    private let connectTimeout: Double
    private let boundsConnection: Bool
    private let nameWait: NameWait?
    private let body: RequestBodyStream?
    private let done: EventLoopPromise<Void>
    private let state = Mutex(State())

    init(
        _ request: HTTPClient.Request, url: HTTPURL, key: ClientPool.Key, engine: Engine, delegate: ExchangeDelegate,
        timeouts: Timeouts, nameWait: NameWait? = nil, body: RequestBodyStream? = nil
    ) {
        self.nameWait = nameWait
        self.body = body
        self.request = request
        self.url = url
        self.key = key
        self.delegate = delegate
        connectTimeout = timeouts.connect
        boundsConnection = timeouts.boundsConnection
        clients = engine.clients
        certificates = engine.certificates(of: key.trust)
        names = engine.names
        loop = engine.loops[key.loop]
        done = loop.makePromise(of: Void.self)
    }

    var futureResult: EventLoopFuture<Void> { done.futureResult }

    var isAsked: Bool { state.withLock(\.isAsked) }

    func begin() {
        if boundsConnection { boundConnection() }
        let host = key.proxy?.host ?? url.host
        guard !host.isAddress else { return start(at: nil) }
        switch names.ask(host, on: loop) {
        case .known(let finding): take(finding, of: host)
        case .later(let addresses): wait(for: addresses, of: host)
        }
    }

    /// Gives up unless a connection takes the request within the request's own time limit. The HTTP client's own limit
    /// is the engine's.
    private func boundConnection() {
        let bound = loop.scheduleTask(in: .nanoseconds(Int64(connectTimeout * 1e9))) { [self] in
            if state.withLock({ !$0.isAsked }) { fail(reason: HTTPClientError.connectTimeout) }
        }
        state.withLock { $0.bound = bound }
    }

    /// Ends the exchange. A running name resolution is not interrupted.
    func fail(reason error: any Error) {
        let (isFirst, task) = state.withLock { state -> (Bool, HTTPClient.Task<Void>?) in
            guard !state.isOver, state.end == nil else { return (false, nil) }
            state.end = error
            return (true, state.task)
        }
        guard isFirst else { return }
        if let task { task.fail(reason: error) } else { loop.execute { self.finish(.failure(error)) } }
    }

    // MARK: The name

    private func wait(for addresses: EventLoopFuture<[String]>, of host: String) {
        let patience = min(names.patience(for: host), connectTimeout)
        let limit = loop.scheduleTask(in: .nanoseconds(Int64(patience * 1e9))) { [self] in
            names.gaveUp(on: host)
            take(.failure(.noAnswer), of: host)
        }
        let slow = loop.scheduleTask(in: Self.promptLookup) { [self] in
            guard let nameWait, state.withLock(\.isWaiting) else { return }
            nameWait.progress.waitsForName.store(true, ordering: .relaxed)
            Task { await nameWait.changed() }
        }
        addresses.whenComplete { [self] result in
            limit.cancel()
            slow.cancel()
            delegate.touch()
            let finding = result.mapError { $0 as? NameCache.Failure ?? .noAnswer }
            // A request that yielded its slot continues only with a slot.
            guard let nameWait, nameWait.progress.waitsForName.exchange(false, ordering: .relaxed) else {
                return take(finding, of: host)
            }
            loop.makeFutureWithTask { await nameWait.changed() }.whenComplete { [self] _ in take(finding, of: host) }
        }
    }

    private func take(_ finding: NameCache.Finding, of host: String) {
        switch finding {
        case .success(let addresses):
            guard let first = addresses.first else { return take(.failure(.notFound), of: host) }
            state.withLock { state in
                state.untried = Array(addresses.dropFirst())
                state.hasChoice = addresses.count > 1
            }
            start(at: ClientPool.Route(name: host, address: first))
        case .failure(let failure):
            finish(.failure(failure.error(of: host, url: url, isProxy: key.proxy != nil)))
        }
    }

    // MARK: The address

    private func start(at route: ClientPool.Route?) {
        guard isWanted else { return }
        if let lease = clients.known(key, route, for: url) { return execute(on: lease, route) }
        let (clients, certificates, key, url) = (clients, certificates, key, url)
        loop.makeFutureWithTask {
            try await certificates.result { _ throws(DiskError) in
                Result { () throws(ServiceError) in try clients.lease(key, route, for: url) }
            }.mapError(\.transferError).get().get()
        }.whenComplete { [self] made in
            switch made {
            case .success(let lease) where isWanted: execute(on: lease, route)
            case .success(let lease): clients.end(lease)
            case .failure(let error): finish(.failure(error))
            }
        }
    }

    /// Whether the request has neither ended nor been stopped.
    private var isWanted: Bool { state.withLock { !$0.isOver && $0.end == nil } }

    private func execute(on lease: ClientPool.Lease, _ route: ClientPool.Route?) {
        let task = lease.client.execute(
            request: request, delegate: self, eventLoop: .indifferent, deadline: nil, logger: NoLog.logger)
        let (end, hasOthers) = state.withLock { state in
            state.task = task
            state.address = route?.address
            return (state.end, !state.untried.isEmpty && !state.isAsked)
        }
        if let end { task.fail(reason: end) }
        if hasOthers, let route { switchAddressLater(from: route) }
        task.futureResult.whenComplete { [self] result in
            clients.end(lease)
            ended(result, route)
        }
    }

    private func ended(_ result: Result<Void, any Error>, _ route: ClientPool.Route?) {
        let next: String? = state.withLock { state in
            state.task = nil
            state.timer.take()?.cancel()
            return state.end == nil ? state.next.take() : nil
        }
        if let next, let route { return start(at: ClientPool.Route(name: route.name, address: next)) }
        finish(result)
    }

    private func finish(_ result: Result<Void, any Error>) {
        let end: Result<Void, any Error>? = state.withLock { state in
            guard !state.isOver else { return nil }
            state.isOver = true
            state.timer.take()?.cancel()
            state.bound.take()?.cancel()
            nameWait?.progress.waitsForName.store(false, ordering: .relaxed)
            guard case .failure(let error) = result else { return result }
            // An error after connecting says more than a failure to connect to another address.
            let isOwn = state.isAsked || !error.isOfConnecting
            return .failure(state.end ?? (isOwn ? error : state.failure ?? error))
        }
        guard let end else { return }
        if case .failure(let error) = end, error.isOfConnecting, !isAsked {
            names.forget(key.proxy?.host ?? url.host)
        }
        if case .failure(let error) = end { delegate.failed(error) }
        done.completeWith(end)
    }

    /// Attempts the other addresses in parallel if this one does not respond soon.
    private func switchAddressLater(from route: ClientPool.Route) {
        let timer = loop.scheduleTask(in: Self.connectionDelay) { [self] in
            let others = state.withLock { $0.isWaiting ? $0.untried : [] }
            guard !others.isEmpty else { return }
            // Includes the current address: it may be connected and in its handshake.
            AddressProbe.firstAnswering(
                of: [route.address] + others, port: key.proxy?.port ?? url.port, on: loop,
                timeout: .nanoseconds(Int64(connectTimeout * 1e9))
            ).whenSuccess { [self] address in leave(for: address) }
        }
        state.withLock { state in
            state.timer?.cancel()
            state.timer = timer
        }
    }

    /// Switches to an address that responds, unless the current one has responded meanwhile. Runs on the event loop,
    /// like everything that could send the request.
    private func leave(for address: String) {
        let task = state.withLock { state -> HTTPClient.Task<Void>? in
            guard state.isWaiting, let index = state.untried.firstIndex(of: address) else { return nil }
            state.next = state.untried.remove(at: index)
            return state.task
        }
        task?.fail(reason: HTTPClientError.connectTimeout)
    }

    // MARK: Responses

    func didSendRequestHead(task: HTTPClient.Task<Void>, _ head: HTTPRequestHead) {
        let preferred = state.withLock { state in
            state.isAsked = true
            state.timer.take()?.cancel()
            state.bound.take()?.cancel()
            return state.hasChoice ? state.address : nil
        }
        if let preferred { names.prefer(preferred, for: key.proxy?.host ?? url.host) }
    }

    func didSendRequestPart(task: HTTPClient.Task<Void>, _ part: IOData) { delegate.sentPart(part.readableBytes) }

    func didSendRequest(task: HTTPClient.Task<Void>) { delegate.sentRequest() }

    func didReceiveHead(task: HTTPClient.Task<Void>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        let length = head.headers.first(name: "Content-Length").flatMap { Int64($0) }
        state.withLock { $0.missing = length }
        delegate.received(head)
        return loop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(task: HTTPClient.Task<Void>, _ part: ByteBuffer) -> EventLoopFuture<Void> {
        let isLast = state.withLock { state in
            state.missing? -= Int64(part.readableBytes)
            return state.missing == 0
        }
        let taken = delegate.received(part)
        // The client drops the rest of the request once it has delivered the end of the response.
        guard isLast, delegate.isSuccess, let body, !body.isFinished else { return taken }
        return taken.flatMap { [loop, url] in body.whenSent(on: loop, to: url) }
    }

    func didFinishRequest(task: HTTPClient.Task<Void>) throws { delegate.finishedResponse() }

    func didReceiveError(task: HTTPClient.Task<Void>, _ error: any Error) {
        let last: (any Error)? = state.withLock { state in
            if state.isAsked || state.end != nil { return error }
            if state.next != nil { return nil }
            guard error.isOfConnecting else { return error }
            guard !state.untried.isEmpty else { return state.failure ?? error }
            state.failure = state.failure ?? error
            state.next = state.untried.removeFirst()
            return nil
        }
        if let last { delegate.failed(last) }
    }
}

extension String {
    /// Whether the host is an address, which needs no resolution.
    fileprivate var isAddress: Bool { hasPrefix("[") || (try? SocketAddress(ipAddress: self, port: 0)) != nil }
}

extension Error {
    /// Whether connecting to an address failed. Another address of the host may work.
    fileprivate var isOfConnecting: Bool {
        switch self {
        case let error as IOError: ![EMFILE, ENFILE, ENOMEM, ECONNRESET, EPIPE].contains(error.errnoCode)
        case is NIOConnectionError: true
        case let error as HTTPClientError: error == .connectTimeout
        default: false
        }
    }
}
