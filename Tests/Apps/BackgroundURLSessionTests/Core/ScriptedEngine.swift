import Foundation
import Synchronization

@testable import FerryURLSession

/// An engine with inert tasks. The test reads their commands and drives their relays.
final class ScriptedEngine: SessionEngine {
    private struct State {
        var last = 0
        var transports: [Int: ScriptedTransport] = [:]
    }

    private let state = Mutex(State())

    let carriesUnresumedTasks = false

    func nextTaskIdentifier() -> Int {
        state.withLock { state in
            state.last += 1
            return state.last
        }
    }

    func transport(for task: URLSessionTask, work: TaskWork, relay: TaskRelay) -> any TaskTransport {
        if case .impossible(let error) = work { return FailedTransport(error, relay: relay) }
        let transport = ScriptedTransport(relay)
        state.withLock { $0.transports[task.taskIdentifier] = transport }
        return transport
    }

    func restored() async {}
    func invalidated() async {}

    subscript(_ task: URLSessionTask) -> ScriptedTransport? { state.withLock { $0.transports[task.taskIdentifier] } }
}

/// Records its task's commands. As with every transport, cancel ends the task.
final class ScriptedTransport: TaskTransport {
    static let resumeData = Data("resume data".utf8)

    let relay: TaskRelay
    private let commands = Mutex<[String]>([])

    init(_ relay: TaskRelay) { self.relay = relay }

    var told: [String] { commands.withLock { $0 } }

    func resume() { commands.withLock { $0.append("resume") } }
    func suspend() { commands.withLock { $0.append("suspend") } }

    func cancel() {
        commands.withLock { $0.append("cancel") }
        Task { await relay.complete(URLError(.cancelled), metrics: []) }
    }

    func cancelProducingResumeData(_ handler: @escaping @Sendable (Data?) -> Void) {
        handler(Self.resumeData)
        let error = URLError(.cancelled, userInfo: [NSURLSessionDownloadTaskResumeData: Self.resumeData])
        Task { await relay.complete(error, metrics: []) }
    }

    func update(_ change: TaskChange) { commands.withLock { $0.append("\(change)") } }
}
