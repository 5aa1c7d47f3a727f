// Ferry: FerryURLSession
// A data or upload task over a streamed exchange in the app's process.

import FerryCore
import FerryEngine
import Foundation
import FoundationNetworking
import Synchronization

/// Carries a data or upload task that runs in the app: each part of the body waits until the delegate has taken the one
/// before, so that a slow delegate holds up the server and no memory fills.
final class LoadTransport: TaskTransport {
    /// What an upload sends.
    enum Body: Sendable {
        case none
        case bytes(Data)
        case file(URL)
        /// The request's own stream, or one that the delegate gives.
        case stream
    }

    private struct State {
        var load: Load?
        var run: Task<Void, Never>?
        var isSuspended = true
        var isCancelled = false
        var isExpired = false
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let request: URLRequest
    private let body: Body
    private let configuration: URLSessionConfiguration
    private let place: LoadPlace
    private let relay: TaskRelay
    /// Makes a download of a load whose head has been read; nil where data tasks cannot become downloads.
    private let makeDownload: @Sendable (Load, HTTPURLResponse) async -> Void
    private let state = Mutex(State())

    init(
        _ request: URLRequest, body: Body, configuration: URLSessionConfiguration, relay: TaskRelay,
        place: LoadPlace, makeDownload: @escaping @Sendable (Load, HTTPURLResponse) async -> Void
    ) {
        self.request = request
        self.body = body
        self.configuration = configuration
        self.relay = relay
        self.place = place
        self.makeDownload = makeDownload
    }

    // MARK: TaskTransport

    func resume() {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.isSuspended = false
            if state.run == nil, !state.isCancelled { state.run = Task(name: "load") { await self.run() } }
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume()
    }

    func suspend() { state.withLock { $0.isSuspended = true } }

    func cancel() {
        let (load, waiting, hasRun) = state.withLock { state in
            state.isCancelled = true
            defer { state.waiting = nil }
            return (state.load, state.waiting, state.run != nil)
        }
        waiting?.resume()
        load?.cancel()
        if !hasRun { Task(name: "end of a load") { await relay.complete(URLError(.cancelled), metrics: []) } }
    }

    func cancelProducingResumeData(_ handler: @escaping @Sendable (Data?) -> Void) {
        handler(nil)
        cancel()
    }

    func update(_ change: TaskChange) {}

    // MARK: The exchange

    private func run() async {
        let deadline = Task(name: "resource timeout of a load") { [weak self, configuration] in
            try await Task.sleep(for: .seconds(configuration.timeoutIntervalForResource))
            self?.expire()
        }
        defer { deadline.cancel() }
        do {
            let load = try await makeLoad()
            try await perform(load)
        } catch {
            await end(error)
        }
    }

    private func makeLoad() async throws -> Load {
        let engine = try await place.engine()
        let request = LoadMapping.request(
            request, body: try await loadBody(), configuration: configuration, proxies: place.proxies,
            trust: place.trust)
        let advisor = ClientAdvisor(relay: relay, configuration: configuration, request: self.request)
        let load = Load(request, engine: engine, advisor: advisor)
        let expected = expectedToSend
        load.onSent { [relay] total in relay.sent(total: total, expected: expected) }
        load.onInformational { [relay] head in
            if let response = ResponseMapping.response(head) { relay.informational(response) }
        }
        let isCancelled = state.withLock { state in
            state.load = load
            return state.isCancelled
        }
        if isCancelled { load.cancel() }
        return load
    }

    private func perform(_ load: Load) async throws {
        let head = try await load.head()
        guard let response = ResponseMapping.response(head) else { throw URLError(.badServerResponse) }
        await passSuspension()
        switch await relay.response(response) {
        case .allow: break
        case .cancel: throw URLError(.cancelled)
        case .becomeDownload: return await makeDownload(load, response)
        }
        while let part = try await load.part() {
            await passSuspension()
            await relay.data(part)
        }
        await relay.complete(nil, metrics: load.exchanges)
    }

    /// Tells the relay how the load has ended.
    private func end(_ error: any Error) async {
        let (load, isCancelled, isExpired) = state.withLock { ($0.load, $0.isCancelled, $0.isExpired) }
        load?.cancel()
        let url = request.url
        let told: any Error =
            if isExpired {
                URLErrorMapping.error(
                    FerryCore.TransferError(.deadlineExceeded, "The task did not end in its time."), url: url)
            } else if isCancelled {
                URLErrorMapping.error(FerryCore.TransferError(.canceled, "The task was canceled."), url: url)
            } else if let error = error as? FerryCore.TransferError {
                URLErrorMapping.error(error, url: url)
            } else {
                error
            }
        await relay.complete(told, metrics: load?.exchanges ?? [])
    }

    private func expire() {
        let load = state.withLock { state in
            state.isExpired = true
            return state.load
        }
        load?.cancel()
    }

    /// Returns at once, or when a suspended task goes on; meanwhile nothing is read from the server.
    private func passSuspension() async {
        await withCheckedContinuation { continuation in
            let mayPass = state.withLock { state in
                let mayPass = !state.isSuspended || state.isCancelled
                if !mayPass { state.waiting = continuation }
                return mayPass
            }
            if mayPass { continuation.resume() }
        }
    }

    // MARK: The body

    private func loadBody() async throws -> LoadBody {
        switch body {
        case .none:
            if let data = request.httpBody { return .bytes(data) }
            guard request.httpBodyStream != nil else { return .none }
            return try await streamBody()
        case .bytes(let data): return .bytes(data)
        case .file(let file): return .file(path: file.path)
        case .stream: return try await streamBody()
        }
    }

    private func streamBody() async throws -> LoadBody {
        let relay = relay
        // A stream is read once: from the second time on the delegate gives another.
        let own = request.httpBodyStream
        let given: InputStream? = if own == nil { await relay.needBodyStream() } else { nil }
        guard let stream = own ?? given else { throw URLError(.requestBodyStreamExhausted) }
        let length = request.value(forHTTPHeaderField: "Content-Length").flatMap { Int64($0) }
        return .stream(BodySource(stream) { await relay.needBodyStream() }, length: length)
    }

    private var expectedToSend: Int64 {
        switch body {
        case .none: Int64(request.httpBody?.count ?? 0)
        case .bytes(let data): Int64(data.count)
        case .file(let file):
            (try? file.resourceValues(forKeys: [.fileSizeKey]).fileSize).flatMap { $0 }.map(Int64.init) ?? -1
        case .stream: request.value(forHTTPHeaderField: "Content-Length").flatMap { Int64($0) } ?? -1
        }
    }
}
