import Foundation
import FoundationNetworking
import Synchronization

/// The transport of a task that a custom `URLProtocol` class of `URLSessionConfiguration.protocolClasses` loads.
///
/// Starts and stops the protocol on a serial queue, and delivers the protocol's client calls in order. After a
/// redirect, another transport carries the task, and further client calls are ignored.
final class ProtocolTransport: NSObject, TaskTransport, URLProtocolClient, @unchecked Sendable {  // SAFETY: Mutex
    private enum Event: Sendable {
        case response(URLResponse, URLCache.StoragePolicy)
        case data(Data)
        case redirect(URLRequest, URLResponse)
        case finished
        case failed(any Error)
    }

    private struct State {
        /// Accessed on the queue only.
        var instance: UnsafeTransfer<URLProtocol>?
        /// The task's transport after a redirect.
        var next: (any TaskTransport)?
        var hasStarted = false
        var isSuspended = false
        var isCanceled = false
    }

    private let kind: URLProtocol.Type
    private let isDownload: Bool
    private let folder: URL
    private let relay: TaskRelay
    private let redirected: @Sendable (URLRequest) -> any TaskTransport
    private let queue = DispatchQueue(label: "ferry.protocol")
    private let state = Mutex(State())
    private let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation

    /// - Parameters:
    ///   - folder: The folder of a download's file until it is finished.
    ///   - redirected: Creates the transport for the request of a redirect.
    init(
        _ kind: URLProtocol.Type, isDownload: Bool, folder: URL, relay: TaskRelay,
        redirected: @escaping @Sendable (URLRequest) -> any TaskTransport
    ) {
        self.kind = kind
        self.isDownload = isDownload
        self.folder = folder
        self.relay = relay
        self.redirected = redirected
        (events, continuation) = AsyncStream.makeStream()
    }

    private var url: URL? { relay.task.currentRequest?.url }

    // MARK: TaskTransport

    func resume() {
        let (isFirst, next) = state.withLock { state in
            defer { state.hasStarted = true }
            state.isSuspended = false
            return (!state.hasStarted && !state.isCanceled, state.next)
        }
        next?.resume()
        guard isFirst else { return }
        let instance = UnsafeTransfer(kind.init(task: relay.task, cachedResponse: nil, client: self))
        state.withLock { $0.instance = instance }
        Task(name: "task of a protocol class") { await self.deliver() }
        queue.async { self.state.withLock { $0.instance }?.value.startLoading() }
    }

    /// Suspends the transport that follows a redirect. A protocol class itself cannot be suspended.
    func suspend() {
        let next = state.withLock { state in
            state.isSuspended = true
            return state.next
        }
        next?.suspend()
    }

    func cancel() {
        let (hasStarted, next) = state.withLock { state in
            state.isCanceled = true
            return (state.hasStarted, state.next)
        }
        if let next { return next.cancel() }
        guard hasStarted else {
            Task(name: "end of a task of a protocol class") { await relay.complete(canceled, metrics: []) }
            return
        }
        stop()
        relay.endsEarly()
        continuation.yield(.failed(canceled))
        continuation.finish()
    }

    func cancelProducingResumeData(_ handler: @escaping @Sendable (Data?) -> Void) {
        if let next = state.withLock(\.next) { return next.cancelProducingResumeData(handler) }
        handler(nil)
        cancel()
    }

    func update(_ change: TaskChange) { state.withLock(\.next)?.update(change) }

    private var canceled: URLError { URLError.failing(.cancelled, url) }

    // MARK: Delivery

    private func deliver() async {
        var file: ResourceFile?
        var load = ProtocolLoad(relay.task.currentRequest, relay.session.acting.copied.urlCache)
        do {
            if isDownload { file = try ResourceFile(in: folder, relay: relay) }
            let redirect = try await deliverEvents(to: &file, &load)
            stop()
            if let redirect {
                file?.remove()
                return follow(with: redirect)
            }
            try await file?.finish()
            await load.keep(as: relay)
            await relay.complete(nil, metrics: [load.facts()])
        } catch {
            stop()
            file?.remove()
            await relay.complete(error, metrics: [load.facts()])
        }
    }

    /// Stops and releases the instance, which retains this transport as its client.
    private func stop() { queue.async { self.state.withLock { $0.instance.take() }?.value.stopLoading() } }

    /// Delivers the protocol's events up to the last one. A download's body is written to its file.
    ///
    /// - Returns: The request of a redirect to follow.
    private func deliverEvents(
        to file: inout ResourceFile?, _ load: inout ProtocolLoad
    ) async throws -> URLRequest? {
        for await event in events {
            switch event {
            case .response(let response, let policy):
                load.received(response, isDownload ? .notAllowed : policy)
                try await deliver(response)
            case .data(let data):
                load.received(data)
                if isDownload { try file?.append(data) } else { await relay.data(data) }
            case .redirect(let target, let response):
                let request = target.redirected(from: [url, relay.task.originalRequest?.url])
                guard let response = response as? HTTPURLResponse else { return request }
                if let chosen = await relay.willRedirect(response, to: request) { return chosen }
                try await deliver(response)
                return nil
            case .finished: return nil
            case .failed(let error): throw error
            }
        }
        return nil
    }

    private func deliver(_ response: URLResponse) async throws {
        if isDownload {
            relay.responseKnown(response)
        } else if await relay.response(response) == .cancel {
            throw canceled
        }
    }

    private func follow(with request: URLRequest) {
        relay.currentRequest(request)
        let next = redirected(request)
        state.withLock { $0.next = next }
        // The task may be suspended or resumed between reading its state and the call that depends on it.
        var isRunning = false
        while true {
            let (isSuspended, isCanceled) = state.withLock { ($0.isSuspended, $0.isCanceled) }
            if isCanceled { return next.cancel() }
            guard isSuspended == isRunning else { return }
            if isRunning { next.suspend() } else { next.resume() }
            isRunning.toggle()
        }
    }

    // MARK: URLProtocolClient

    func urlProtocol(_ protocol: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse) {
        continuation.yield(.redirect(request, redirectResponse))
    }

    func urlProtocol(_ protocol: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse) {}

    func urlProtocol(
        _ protocol: URLProtocol, didReceive response: URLResponse, cacheStoragePolicy policy: URLCache.StoragePolicy
    ) { continuation.yield(.response(response, policy)) }

    func urlProtocol(_ protocol: URLProtocol, didLoad data: Data) { continuation.yield(.data(data)) }

    func urlProtocolDidFinishLoading(_ protocol: URLProtocol) {
        continuation.yield(.finished)
        continuation.finish()
    }

    func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error) {
        continuation.yield(.failed(error))
        continuation.finish()
    }

    func urlProtocol(_ protocol: URLProtocol, didReceive challenge: URLAuthenticationChallenge) {
        let relay = relay
        Task(name: "challenge of a protocol class") {
            let (disposition, credential) = await relay.challenge(challenge)
            switch (disposition, credential) {
            case (.useCredential, let credential?): challenge.sender?.use(credential, for: challenge)
            case (.cancelAuthenticationChallenge, _): challenge.sender?.cancel(challenge)
            default: challenge.sender?.performDefaultHandling(for: challenge)
            }
        }
    }

    func urlProtocol(_ protocol: URLProtocol, didCancel challenge: URLAuthenticationChallenge) {}
}
