import Foundation
import FoundationNetworking
import Synchronization

/// Carries a task by a custom `URLProtocol` class, as `URLSessionConfiguration.protocolClasses` names them.
///
/// The protocol is started and stopped on a thread-safe serial queue; what it tells its client is delivered in that order.
final class ProtocolTransport: NSObject, TaskTransport, URLProtocolClient, @unchecked Sendable {  // SAFETY: Mutex
    private enum Told: Sendable {
        case response(URLResponse)
        case data(Data)
        case redirect(URLRequest, URLResponse)
        case finished
        case failed(any Error)
    }

    private struct State {
        /// Used on the queue alone.
        var instance: Sealed<URLProtocol>?
        var isEnded = false
        var hasStarted = false
    }

    private let kind: URLProtocol.Type
    private let isDownload: Bool
    private let folder: URL
    private let relay: TaskRelay
    private let queue = DispatchQueue(label: "ferry.protocol")
    private let state = Mutex(State())
    private let told: AsyncStream<Told>.Continuation
    private let stream: AsyncStream<Told>

    init(_ kind: URLProtocol.Type, isDownload: Bool, folder: URL, relay: TaskRelay) {
        self.kind = kind
        self.isDownload = isDownload
        self.folder = folder
        self.relay = relay
        (stream, told) = AsyncStream.makeStream()
    }

    private var request: URLRequest? { relay.task.currentRequest }

    // MARK: TaskTransport

    func resume() {
        let isFirst = state.withLock { state in
            defer { state.hasStarted = true }
            return !state.hasStarted && !state.isEnded
        }
        guard isFirst else { return }
        let instance = Sealed(kind.init(task: relay.task, cachedResponse: nil, client: self))
        state.withLock { $0.instance = instance }
        Task(name: "task of a protocol class") { await self.deliver() }
        queue.async { self.state.withLock { $0.instance }?.value.startLoading() }
    }

    func suspend() {}

    func cancel() {
        queue.async { self.state.withLock { $0.instance.take() }?.value.stopLoading() }
        let hasStarted = state.withLock { state in
            if !state.hasStarted { state.isEnded = true }
            return state.hasStarted
        }
        guard hasStarted else {
            Task(name: "end of a task of a protocol class") { await relay.complete(canceled, metrics: []) }
            return
        }
        relay.endsEarly()
        told.yield(.failed(canceled))
        told.finish()
    }

    func cancelProducingResumeData(_ handler: @escaping @Sendable (Data?) -> Void) {
        handler(nil)
        cancel()
    }

    func update(_ change: TaskChange) {}

    private var canceled: URLError {
        URLError(.cancelled, userInfo: request?.url.map { [NSURLErrorFailingURLErrorKey: $0] } ?? [:])
    }

    // MARK: Delivery

    private func deliver() async {
        var body = Data()
        var failure: (any Error)?
        loop: for await word in stream {
            switch word {
            case .response(let response):
                if isDownload {
                    relay.responseKnown(response)
                } else if await relay.response(response) == .cancel {
                    failure = canceled
                    break loop
                }
            case .data(let data):
                if isDownload { body.append(data) } else { await relay.data(data) }
            case .redirect(let request, _): relay.currentRequest(request)
            case .finished: break loop
            case .failed(let error):
                failure = error
                break loop
            }
        }
        // The instance holds its client, which is this.
        queue.async { self.state.withLock { $0.instance.take() }?.value.stopLoading() }
        if isDownload, failure == nil {
            let file = folder.appendingPathComponent("\(UUID().uuidString).download")
            do {
                try body.write(to: file)
                relay.wrote(total: Int64(body.count), expected: Int64(body.count))
                let place = try FilePlacement.place(file.path, task: relay.task, status: nil)
                if place.stays { await relay.finished(place.file) } else { await relay.finishedTemporary(place.file) }
            } catch {
                failure = URLError.failing(.cannotWriteToFile, request?.url)
            }
        }
        state.withLock { $0.isEnded = true }
        await relay.complete(failure, metrics: [])
    }

    // MARK: URLProtocolClient

    func urlProtocol(_ protocol: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse) {
        told.yield(.redirect(request, redirectResponse))
    }

    func urlProtocol(_ protocol: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse) {}

    func urlProtocol(
        _ protocol: URLProtocol, didReceive response: URLResponse, cacheStoragePolicy policy: URLCache.StoragePolicy
    ) { told.yield(.response(response)) }

    func urlProtocol(_ protocol: URLProtocol, didLoad data: Data) { told.yield(.data(data)) }

    func urlProtocolDidFinishLoading(_ protocol: URLProtocol) {
        told.yield(.finished)
        told.finish()
    }

    func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error) {
        told.yield(.failed(error))
        told.finish()
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
