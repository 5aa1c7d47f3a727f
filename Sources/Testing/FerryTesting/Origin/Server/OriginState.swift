import Foundation
import Synchronization

/// The script, facts and gates of one origin, shared by its connections and its test.
final class OriginState: Sendable {
    private struct State: Sendable {
        var script: OriginScript
        /// Number of requests since the script was set.
        var requestsOfScript = 0
        var requestsByPath: [String: Int] = [:]
        var facts = OriginFacts()
        var released: Set<String> = []
        var gates: [String: [@Sendable () -> Void]] = [:]
        var waiters: [UUID: Waiter] = [:]
    }

    private struct Waiter: Sendable {
        var holds: @Sendable (OriginFacts) -> Bool
        var continuation: CheckedContinuation<Void, Never>
    }

    private let state: Mutex<State>
    let connections = OpenConnections()

    init(_ script: OriginScript) {
        state = Mutex(State(script: script))
    }

    var facts: OriginFacts { state.withLock(\.facts) }

    var script: OriginScript {
        get { state.withLock(\.script) }
        set {
            state.withLock { state in
                state.script = newValue
                state.requestsOfScript = 0
                state.requestsByPath = [:]
            }
        }
    }

    // MARK: Waiting

    /// Returns once the facts satisfy a condition or the caller is canceled.
    func wait(until holds: @escaping @Sendable (OriginFacts) -> Bool) async {
        let id = UUID()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDone = state.withLock { state in
                    if Task.isCancelled || holds(state.facts) { return true }
                    state.waiters[id] = Waiter(holds: holds, continuation: continuation)
                    return false
                }
                if isDone { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.continuation.resume()
        }
    }

    /// Changes the state and resumes the callers with a satisfied condition.
    private func update<Value: Sendable>(_ change: (inout State) -> Value) -> Value {
        let (value, satisfied) = state.withLock { state in
            let value = change(&state)
            let satisfied = state.waiters.filter { $0.value.holds(state.facts) }
            for id in satisfied.keys { state.waiters[id] = nil }
            return (value, satisfied.values.map(\.continuation))
        }
        for continuation in satisfied { continuation.resume() }
        return value
    }

    // MARK: Connections

    /// Counts a new connection and returns its number.
    func connectionOpened() -> Int {
        update { state in
            state.facts.connections += 1
            state.facts.openConnections += 1
            return state.facts.connections
        }
    }

    func connectionClosed() {
        update { $0.facts.openConnections -= 1 }
    }

    /// Records a request and plans its response.
    func requestArrived(_ request: RecordedRequest) -> (number: Int, steps: [OriginStep]) {
        let now = Int64(Date().timeIntervalSince1970)
        let (exchange, script) = update { state in
            var request = request
            request.number = state.facts.requests.count + 1
            state.facts.requests.append(request)
            state.facts.bytesSentByRequest.append(0)
            state.facts.activeResponses += 1
            state.facts.mostActiveResponses = max(state.facts.mostActiveResponses, state.facts.activeResponses)
            let path = request.path
            state.requestsOfScript += 1
            state.requestsByPath[path, default: 0] += 1
            let exchange = OriginExchange(
                request: request, number: state.requestsOfScript, pathNumber: state.requestsByPath[path, default: 1],
                activeResponses: state.facts.activeResponses, now: now)
            return (exchange, state.script)
        }
        return (exchange.request.number, OriginPlan.steps(for: exchange, script: script))
    }

    func bodyBytesSent(_ count: Int64, request number: Int) {
        update { state in
            state.facts.bytesSentByRequest[number - 1] += count
            state.facts.bytesSent += count
        }
    }

    func responseEnded() {
        update { $0.facts.activeResponses -= 1 }
    }

    // MARK: Gates

    /// Calls `resume` once the gate is released, immediately if it already was.
    func pass(_ gate: String, _ resume: @escaping @Sendable () -> Void) {
        let isOpen = update { state in
            if state.released.contains(gate) { return true }
            state.gates[gate, default: []].append(resume)
            state.facts.held.append(gate)
            return false
        }
        if isOpen { resume() }
    }

    /// Opens a gate for all waiting and later responses.
    func release(_ gate: String) {
        let waiting = update { state in
            state.released.insert(gate)
            state.facts.held.removeAll { $0 == gate }
            return state.gates.removeValue(forKey: gate) ?? []
        }
        for resume in waiting { resume() }
    }

    /// Closes all connections and rejects new ones.
    func endConnections() {
        state.withLock { $0.gates = [:] }
        connections.closeAll()
    }
}

/// Facts about an origin since it started.
package struct OriginFacts: Sendable {
    /// All requests, in order of arrival.
    package var requests: [RecordedRequest] = []
    /// Body bytes passed to the kernel for each request, in the order of `requests`.
    package var bytesSentByRequest: [Int64] = []
    /// Number of accepted connections.
    package var connections = 0
    package var openConnections = 0
    /// Number of responses in progress.
    package var activeResponses = 0
    /// Largest number of responses in progress at once.
    package var mostActiveResponses = 0
    /// Names on which a response waits.
    package var held: [String] = []

    /// Body bytes passed to the kernel, over all responses.
    package var bytesSent: Int64 = 0
}
