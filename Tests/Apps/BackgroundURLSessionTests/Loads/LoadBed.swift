import FerryCore
import FerryEngine
import FerryService
import FerryTesting
import Foundation
import Synchronization
import Testing

@testable import FerryURLSession

/// A session with data and upload tasks against an origin, under conditions set by the test.
struct LoadBed {
    let session: FerryURLSession.URLSession
    let witness: LoadWitness
    let origin: ScriptedOrigin
    let url: URL
    let conditions: LoadConditions

    /// Makes a task and resumes it.
    func started(
        _ change: (inout URLRequest) -> Void = { _ in },
        preparing prepare: (FerryURLSession.URLSessionDataTask) -> Void = { _ in }
    ) -> FerryURLSession.URLSessionDataTask {
        var request = URLRequest(url: url)
        change(&request)
        let task = session.dataTask(with: request)
        prepare(task)
        task.resume()
        return task
    }
}

/// - Parameter obstacle: The initial reason to wait.
func withLoads(
    _ script: OriginScript, answersResponses: Bool = true, obstacle: WaitReason? = nil,
    _ configuration: FerryURLSession.URLSessionConfiguration = .ephemeral, _ body: (LoadBed) async throws -> Void
) async throws {
    try await withOrigin(script) { origin in
        let conditions = LoadConditions(obstacle)
        let witness = LoadWitness(answersResponses: answersResponses)
        let engine = LoadEngine(configuration, conditions)
        let session = FerryURLSession.URLSession(.ephemeral, witness, nil, engine: engine)
        let url = try #require(URL(string: origin.url()))
        let bed = LoadBed(session: session, witness: witness, origin: origin, url: url, conditions: conditions)
        defer { session.invalidateAndCancel() }
        try await body(bed)
    }
}

/// Network conditions set by a test.
final class LoadConditions: Sendable {
    private struct State {
        var reason: WaitReason?
        var listeners: [AsyncStream<WaitReason?>.Continuation] = []
        var policies: [NetworkPolicy] = []
    }

    private let state: Mutex<State>

    init(_ reason: WaitReason?) { state = Mutex(State(reason: reason)) }

    /// Network policies passed to the conditions so far.
    var policies: [NetworkPolicy] { state.withLock(\.policies) }

    func set(_ reason: WaitReason?) {
        state.withLock { state in
            state.reason = reason
            for listener in state.listeners { listener.yield(reason) }
        }
    }

    func obstacles(_ policy: NetworkPolicy) -> AsyncStream<WaitReason?> {
        let (reasons, listener) = AsyncStream.makeStream(of: WaitReason?.self)
        state.withLock { state in
            listener.yield(state.reason)
            state.listeners.append(listener)
            state.policies.append(policy)
        }
        return reasons
    }
}

/// Carries every task as a load.
private final class LoadEngine: SessionEngine {
    private let configuration: FerryURLSession.URLSessionConfiguration
    private let place: LoadPlace
    private let last = Atomic(0)

    let carriesUnresumedTasks = false

    init(_ configuration: FerryURLSession.URLSessionConfiguration, _ conditions: LoadConditions) {
        self.configuration = configuration
        place = LoadPlace(
            engine: { try await LocalService.shared.service().engine }, proxies: [:], trust: TrustScope(),
            folder: FileManager.default.temporaryDirectory, obstacles: { _, policy in conditions.obstacles(policy) })
    }

    func nextTaskIdentifier() -> Int { last.add(1, ordering: .relaxed).newValue }

    func transport(
        for task: FerryURLSession.URLSessionTask, work: TaskWork, relay: TaskRelay
    ) -> any TaskTransport {
        guard let request = work.request else { return FailedTransport(URLError(.badURL), relay: relay) }
        return LoadTransport(
            request, body: .none, configuration: configuration, relay: relay, place: place, makeDownload: { _, _ in })
    }

    func restored() async {}
    func invalidated() async {}
}

/// Records the calls of a data task's delegate.
final class LoadWitness: NSObject, FerryURLSession.URLSessionDataDelegate, FerryTaskDelegate, Sendable {
    struct Story: Sendable {
        var calls: [String] = []
        var pieces: [Int] = []
        var data = Data()
        var reasons: [WaitingReason?] = []
        var error: URLError?
        var isOver = false
    }

    private let state = Mutex<[Int: Story]>([:])
    private let answersResponses: Bool

    init(answersResponses: Bool) { self.answersResponses = answersResponses }

    subscript(_ task: FerryURLSession.URLSessionTask) -> Story {
        state.withLock { $0[task.taskIdentifier] ?? Story() }
    }

    /// Waits until the task has completed.
    func end(of task: FerryURLSession.URLSessionTask) async throws -> Story {
        try await eventually("task \(task.taskIdentifier) completes") { self[task].isOver }
        return self[task]
    }

    private func note(_ task: FerryURLSession.URLSessionTask, _ change: (inout Story) -> Void) {
        state.withLock { change(&$0[task.taskIdentifier, default: Story()]) }
    }

    func urlSession(
        _ session: FerryURLSession.URLSession, dataTask: FerryURLSession.URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (FerryURLSession.URLSession.ResponseDisposition) -> Void
    ) {
        note(dataTask) { $0.calls.append("response") }
        if answersResponses { completionHandler(.allow) }
    }

    func urlSession(
        _ session: FerryURLSession.URLSession, dataTask: FerryURLSession.URLSessionDataTask, didReceive data: Data
    ) {
        note(dataTask) { story in
            story.pieces.append(data.count)
            story.data += data
        }
    }

    func urlSession(
        _ session: FerryURLSession.URLSession, task: FerryURLSession.URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        note(task) { $0.calls.append("redirect") }
        completionHandler(request)
    }

    func urlSession(
        _ session: FerryURLSession.URLSession, taskIsWaitingForConnectivity task: FerryURLSession.URLSessionTask
    ) { note(task) { $0.calls.append("waits for connectivity") } }

    func urlSession(
        _ session: FerryURLSession.URLSession, task: FerryURLSession.URLSessionTask,
        didChangeWaitingReason reason: WaitingReason?
    ) { note(task) { $0.reasons.append(reason) } }

    func urlSession(
        _ session: FerryURLSession.URLSession, task: FerryURLSession.URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        note(task) { story in
            story.error = error as? URLError
            story.isOver = true
        }
    }
}
