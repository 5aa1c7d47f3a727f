import FerryCore
import FerryEngine
import FerryRules
import Foundation
import FoundationNetworking
import Synchronization

/// The transport of a data or upload task that runs in the app. Each part of the body waits until the delegate has
/// handled the previous one, so a slow delegate slows down the server instead of filling memory.
final class LoadTransport: TaskTransport {
    /// The body of an upload.
    enum Body: Sendable {
        case none
        case bytes(Data)
        case file(URL)
        /// The request's own stream, or one provided by the delegate.
        case stream
    }

    /// The reason for ending the task early.
    private enum Ending {
        case canceled
        case expired
        /// The conditions forbid the task, and it does not wait for them to change.
        case forbidden(ServiceError)
    }

    /// Whether the conditions allow the task to load.
    private enum Way {
        case unknown
        case free
        case barred
    }

    private struct State {
        var load: Load?
        /// The upload's resume data, once requested.
        var resumeData: Data?
        var run: Task<Void, Never>?
        var isSuspended = true
        var ending: Ending?
        var way = Way.unknown
        var shown: WaitingReason?
        var notifiedConnectivity = false
        var deadline: LoadDeadline
        var pace: LoadPace
        var waiting: CheckedContinuation<Void, Never>?

        /// Whether the work may continue, either to its next step or to an early end.
        var mayPass: Bool { ending != nil || !isSuspended && way == .free }
    }

    private static let partSize = 256 << 10

    private let request: URLRequest
    private let body: Body
    /// The state of the upload that this task resumes.
    private let continues: UploadResumeData?
    private let configuration: URLSessionConfiguration
    private let place: LoadPlace
    private let relay: TaskRelay
    private let cache: ResponseCache
    /// Turns a load into a download after its head has been read.
    private let makeDownload: @Sendable (Load, HTTPURLResponse) async -> Void
    private let policy: NetworkPolicy
    private let state: Mutex<State>

    init(
        _ request: URLRequest, body: Body, continuing data: UploadResumeData? = nil,
        configuration: URLSessionConfiguration, relay: TaskRelay,
        place: LoadPlace, makeDownload: @escaping @Sendable (Load, HTTPURLResponse) async -> Void
    ) {
        self.request = request
        self.body = body
        continues = data
        self.configuration = configuration
        self.relay = relay
        self.place = place
        self.makeDownload = makeDownload
        cache = ResponseCache(relay.task, request, configuration)
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
        let data = resumeData()
        handler(data)
        cancel()
    }

    /// Returns the upload's resume data, created once; nil if the server keeps no state of the upload.
    private func resumeData() -> Data? {
        let (load, made) = state.withLock { ($0.load, $0.resumeData) }
        if let made { return made }
        let kept: UploadResumeData.Body? =
            switch body {
            case .bytes(let data): .bytes(data)
            case .file: load?.uploadedFile.map { .file($0) }
            case .none, .stream: nil
            }
        guard let kept, let upload = load?.upload,
            let data = UploadResumeData(relay.task, kept, upload, in: LocalService.shared.folders)?.encoded()
        else { return nil }
        return state.withLock { state in
            let made = state.resumeData ?? data
            state.resumeData = made
            return made
        }
    }

    func update(_ change: TaskChange) {
        guard case .options(let options) = change else { return }
        state.withLock { $0.pace.set(limit: options.bytesPerSecondLimit) }
    }

    // MARK: Resuming and completing

    /// Changes the state and resumes the work if it may continue.
    private func change(_ body: (inout State) -> Void) {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            body(&state)
            return state.mayPass ? state.waiting.take() : nil
        }
        waiting?.resume()
    }

    /// Ends the work early. Only the first call has an effect.
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

    /// Returns when the task is neither suspended nor blocked by conditions. Nothing is read from the server in the
    /// meantime.
    ///
    /// - Throws: If the task is to end.
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
            // Without a service there is no engine. Loading then reports the error.
            if let reasons = try? await place.obstacles(url, policy) {
                for await reason in reasons { self?.take(reason) }
            }
            if !Task.isCancelled { self?.take(nil) }
        }
    }

    /// Records the blocking condition; nil if there is none (docs/behaviour/url-session.md#71).
    private func take(_ reason: WaitReason?) {
        if let reason, let error = ConditionRule.error(reason, policy) { return finish(.forbidden(error)) }
        let shown = reason.flatMap(WaitingReason.init(condition:))
        let (hasChanged, reportsConnectivity) = state.withLock { state in
            defer { state.shown = shown }
            let tells = shown?.isAboutNetworks == true && !state.notifiedConnectivity
            if tells { state.notifiedConnectivity = true }
            return (state.shown != shown, tells)
        }
        if hasChanged { relay.show(.waiting(shown)) }
        if reportsConnectivity, configuration.kind != .background { relay.show(.waitsForConnectivity) }
        change { $0.way = reason == nil ? .free : .barred }
    }

    // MARK: The exchange

    private func run() async {
        do {
            switch await cache.source(at: Date()) {
            case .cache(let kept): try await serve(kept)
            case .none: throw URLError(.resourceUnavailable)
            case .server: try await ask()
            case .confirmed(let kept, let stored): try await ask(whether: kept, stored)
            }
        } catch {
            await end(error)
        }
    }

    /// Sends the request, or validates a cached response with the server.
    private func ask(whether kept: KeptResponse? = nil, _ stored: StoredResponse? = nil) async throws {
        let conditions = followConditions()
        defer { conditions.cancel() }
        try await pass()
        let load = try await makeLoad(with: stored?.conditions ?? [])
        let head = try await load.head()
        guard let kept, let stored, head.status == 304 else { return try await perform(load, head) }
        while try await load.part() != nil {}
        // A 304 from a redirect's target does not validate the cached response of this URL.
        guard cache.isOwn(head) else {
            try await pass()
            relay.currentRequest(request)
            let load = try await makeLoad()
            return try await perform(load, try await load.head())
        }
        let refreshed = await cache.refreshed(kept, stored, by: head.fields, at: Date())
        try await serve(refreshed, after: load.exchanges)
    }

    private func makeLoad(with conditions: [HeaderField] = []) async throws -> Load {
        let engine = try await place.engine()
        var asked = self.request
        for field in conditions { asked.setValue(field.value, forHTTPHeaderField: field.name) }
        var request = LoadMapping.request(
            asked, body: try await body.load(of: asked, relay), configuration: configuration, proxies: place.proxies,
            trust: place.trust)
        if case .none = body {} else { request.isUpload = true }
        if let continues {
            request.continues = continues.upload
            if case .file(let file) = continues.body { request.sentFile = file }
        }
        let advisor = ClientAdvisor(relay: relay, configuration: configuration, request: self.request)
        let load = Load(request, engine: engine, advisor: advisor)
        let expected = body.expected(of: asked)
        load.onSent { [relay] total in relay.show(.sent(total: total, expected: expected)) }
        load.onInformational { [relay] head in
            if let response = ResponseMapping.response(head) { relay.show(.informational(response)) }
        }
        state.withLock { $0.load = load }
        try checkEnding()
        return load
    }

    private func perform(_ load: Load, _ head: ResponseHead) async throws {
        guard let response = ResponseMapping.response(head) else { throw URLError(.badServerResponse) }
        let received = Date()
        await cache.invalidate(status: head.status)
        try await pass()
        if try await notify(response) == .becomeDownload { return await becomeDownload(load, response) }
        let room = cache.room(for: response)
        var body: Data? = room.map { _ in Data() }
        while let part = try await load.part() {
            body?.append(part)
            if let count = body?.count, count > room ?? 0 { body = nil }
            try await deliver(part)
        }
        state.withLock { $0.deadline.pause() }
        if let body { await keep(response, body, received: received) }
        await relay.complete(nil, metrics: load.exchanges)
    }

    /// Passes the response to the delegate. Throws if the task is to end.
    private func notify(_ response: HTTPURLResponse) async throws -> URLSession.ResponseDisposition {
        let answer = await relay.response(response)
        try checkEnding()
        if answer == .cancel { throw ServiceError(.canceled, "The task was canceled.") }
        return answer
    }

    private func becomeDownload(_ load: Load, _ response: HTTPURLResponse) async {
        state.withLock { $0.deadline.pause() }
        await makeDownload(load, response)
    }

    /// Stores a response in the cache if the delegate agrees.
    private func keep(_ response: HTTPURLResponse, _ body: Data, received: Date) async {
        guard let proposal = cache.proposal(response, body, received: received),
            let kept = await relay.willCache(proposal),
            kept.storagePolicy != .notAllowed
        else { return }
        await cache.keep(kept)
    }

    /// Delivers a cached response.
    ///
    /// - Parameter exchanges: The exchanges that validated the response, if any.
    private func serve(_ kept: CachedURLResponse, after exchanges: [ExchangeFacts] = []) async throws {
        // A cached response needs no network.
        change { $0.way = .free }
        try await pass()
        guard let response = ResponseMapping.response(kept) else { throw URLError(.badServerResponse) }
        if try await notify(response) == .becomeDownload {
            // A download gets its file and response from the server.
            change { $0.way = .unknown }
            let conditions = followConditions()
            defer { conditions.cancel() }
            try await pass()
            let load = try await makeLoad()
            guard let response = ResponseMapping.response(try await load.head()) else {
                throw URLError(.badServerResponse)
            }
            return await becomeDownload(load, response)
        }
        var rest = kept.data[...]
        while !rest.isEmpty {
            try await deliver(Data(rest.prefix(Self.partSize)))
            rest = rest.dropFirst(Self.partSize)
        }
        state.withLock { $0.deadline.pause() }
        let facts = exchanges.isEmpty ? [ExchangeFacts(ofCache: response, fetched: Date())] : exchanges
        await relay.complete(nil, metrics: facts)
    }

    /// Delivers a part of the body, within the task's rate limit.
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

    /// Completes the task with the load's error.
    private func end(_ error: any Error) async {
        let (load, ending) = state.withLock { state in
            state.deadline.pause()
            return (state.load, state.ending)
        }
        load?.cancel()
        let reason: any Error =
            switch ending {
            case .expired: ServiceError(.deadlineExceeded, "The task did not end in its time.")
            case .canceled: ServiceError(.canceled, "The task was canceled.")
            case .forbidden(let error): error
            case nil: error
            }
        let url = relay.task.currentRequest?.url
        // After a cancel, only the call that requested resume data receives it.
        let canceled = if case .canceled = ending { true } else { false }
        let isUseless = (reason as? ServiceError).map { UploadResumeData.areUseless(after: $0) } ?? false
        let data = canceled ? state.withLock(\.resumeData) : isUseless ? nil : resumeData()
        let reported: any Error =
            if let error = reason as? ServiceError {
                URLErrorMapping.error(error, url: url, resumeData: data, ofUpload: true)
            } else {
                URLError.failing((reason as? URLError)?.code ?? .unknown, url)
            }
        await relay.complete(reported, metrics: load?.exchanges ?? [])
    }
}
