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

    /// Why a task is to end before its work is done.
    private enum Ending {
        case canceled
        case expired
        /// The conditions forbid the task, and it does not wait until they change.
        case forbidden(FerryCore.TransferError)
    }

    /// Whether the conditions allow the task to load.
    private enum Way {
        case unknown
        case free
        case barred
    }

    private struct State {
        var load: Load?
        var run: Task<Void, Never>?
        var isSuspended = true
        var ending: Ending?
        var way = Way.unknown
        var shown: WaitingReason?
        var toldConnectivity = false
        var deadline: LoadDeadline
        var pace: LoadPace
        var waiting: CheckedContinuation<Void, Never>?

        /// Whether the work goes on: to its next step, or to its end.
        var mayPass: Bool { ending != nil || !isSuspended && way == .free }
    }

    private let request: URLRequest
    private let body: Body
    private let configuration: URLSessionConfiguration
    private let place: LoadPlace
    private let relay: TaskRelay
    /// Makes a download of a load whose head has been read; nil where data tasks cannot become downloads.
    private let makeDownload: @Sendable (Load, HTTPURLResponse) async -> Void
    private let policy: NetworkPolicy
    private let state: Mutex<State>

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
        policy = RequestMapping.network(request, configuration)
        let limit = RequestFieldMapping.limit(configuration.timeoutIntervalForResource)
        let pace = LoadPace(limit: relay.task.bytesPerSecondLimit)
        state = Mutex(State(deadline: LoadDeadline(seconds: limit), pace: pace))
    }

    // MARK: TaskTransport

    func resume() {
        change { state in
            guard state.ending == nil else { return }
            state.isSuspended = false
            if state.run == nil { state.run = Task(name: "load") { await self.run() } }
            state.deadline.run { [weak self] in self?.finish(.expired) }
        }
    }

    func suspend() {
        change { state in
            state.isSuspended = true
            state.deadline.pause()
        }
    }

    func cancel() { finish(.canceled) }

    func cancelProducingResumeData(_ handler: @escaping @Sendable (Data?) -> Void) {
        handler(nil)
        cancel()
    }

    func update(_ change: TaskChange) {
        guard case .options(let options) = change else { return }
        state.withLock { $0.pace.set(limit: options.bytesPerSecondLimit) }
    }

    // MARK: Going on and ending

    /// Changes the state, and lets the work go on if it may now.
    private func change(_ body: (inout State) -> Void) {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            body(&state)
            return state.mayPass ? state.waiting.take() : nil
        }
        waiting?.resume()
    }

    /// Ends the work where it is; only the first call counts.
    private func finish(_ ending: Ending) {
        var isFirst = false
        var (load, run): (Load?, Task<Void, Never>?)
        change { state in
            guard state.ending == nil else { return }
            isFirst = true
            state.ending = ending
            state.deadline.pause()
            (load, run) = (state.load, state.run)
        }
        guard isFirst else { return }
        relay.endsEarly()
        load?.cancel()
        run?.cancel()
        if run == nil { Task(name: "end of a load") { await self.end(URLError(.cancelled)) } }
    }

    /// Returns when the task is neither suspended nor held up by the conditions; meanwhile nothing is read from the server.
    ///
    /// - Throws: if the task is to end.
    private func pass() async throws {
        await withCheckedContinuation { continuation in
            let mayPass = state.withLock { state in
                if !state.mayPass { state.waiting = continuation }
                return state.mayPass
            }
            if mayPass { continuation.resume() }
        }
        try checkEnding()
    }

    private func checkEnding() throws {
        if state.withLock({ $0.ending != nil }) { throw URLError(.cancelled) }
    }

    // MARK: Conditions

    private func followConditions() -> Task<Void, Never> {
        Task(name: "conditions of a load") { [weak self, place, policy, url = request.url?.absoluteString ?? ""] in
            // Without a service there is no engine either, which is the error that is told.
            if let reasons = try? await place.obstacles(url, policy) {
                for await reason in reasons { self?.take(reason) }
            }
            if !Task.isCancelled { self?.take(nil) }
        }
    }

    /// Takes note of the condition that is in the way; nil if none is (docs/behaviour/url-session.md#71).
    private func take(_ reason: WaitReason?) {
        if let reason, let error = ConditionRule.error(reason, policy) { return finish(.forbidden(error)) }
        let shown = reason.flatMap(WaitingReason.init(condition:))
        let (hasChanged, tellsConnectivity) = state.withLock { state in
            defer { state.shown = shown }
            let tells = shown?.isAboutNetworks == true && !state.toldConnectivity
            if tells { state.toldConnectivity = true }
            return (state.shown != shown, tells)
        }
        if hasChanged { relay.waiting(shown) }
        if tellsConnectivity, configuration.kind != .background { relay.waitsForConnectivity() }
        change { $0.way = reason == nil ? .free : .barred }
    }

    // MARK: The exchange

    private func run() async {
        let conditions = followConditions()
        defer { conditions.cancel() }
        do {
            try await pass()
            try await perform(try await makeLoad())
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
        state.withLock { $0.load = load }
        try checkEnding()
        return load
    }

    private func perform(_ load: Load) async throws {
        let head = try await load.head()
        guard let response = ResponseMapping.response(head) else { throw URLError(.badServerResponse) }
        try await pass()
        let answer = await relay.response(response)
        try checkEnding()
        switch answer {
        case .allow: break
        case .cancel: throw FerryCore.TransferError(.canceled, "The task was canceled.")
        case .becomeDownload:
            state.withLock { $0.deadline.pause() }
            return await makeDownload(load, response)
        }
        while let part = try await load.part() { try await deliver(part) }
        state.withLock { $0.deadline.pause() }
        await relay.complete(nil, metrics: load.exchanges)
    }

    /// Gives the delegate a part of the body, no faster than the task may be.
    private func deliver(_ part: Data) async throws {
        var rest = part
        while !rest.isEmpty {
            let (count, wait) = state.withLock { $0.pace.next(of: rest.count, now: .now) }
            if wait > .zero { try await Task.sleep(for: wait) }
            try await pass()
            await relay.data(count == part.count ? part : Data(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
    }

    /// Tells the relay how the load has ended.
    private func end(_ error: any Error) async {
        let (load, ending) = state.withLock { state in
            state.deadline.pause()
            return (state.load, state.ending)
        }
        load?.cancel()
        let reason: any Error =
            switch ending {
            case .expired: FerryCore.TransferError(.deadlineExceeded, "The task did not end in its time.")
            case .canceled: FerryCore.TransferError(.canceled, "The task was canceled.")
            case .forbidden(let error): error
            case nil: error
            }
        let url = relay.task.currentRequest?.url
        let told: any Error =
            if let error = reason as? FerryCore.TransferError {
                URLErrorMapping.error(error, url: url)
            } else {
                URLError.failing((reason as? URLError)?.code ?? .unknown, url)
            }
        await relay.complete(told, metrics: load?.exchanges ?? [])
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
