import FerryCore
import NIOCore
import Synchronization

/// The engine's HTTP client: sends requests on pooled connections. Knows nothing of transfers.
///
/// Each event loop has its own connections, so that a body is written on the loop that has read it.
final class HTTPClient: Sendable {
    private struct State {
        /// By number of the event loop.
        var connections: [Int: NIOLoopBound<LoopConnections>] = [:]
        var isShutDown = false
    }

    let names: NameResolver
    let refusals = HTTP2Refusals()
    private let loops: EngineLoops
    private let connector: Connector
    private let state = Mutex(State())

    init(loops: EngineLoops, connector: Connector) {
        self.loops = loops
        self.connector = connector
        names = connector.names
    }

    func loop(_ number: Int) -> any EventLoop { loops[number] }

    /// Adds a request to its pool. Call it on the request's event loop.
    func submit(_ request: PooledRequest) {
        guard let connections = connections(request.target.key.loop) else {
            return request.failed(ServiceError(.internal, "The engine has shut down."))
        }
        connections.submit(request)
    }

    /// Ends a request that was submitted. Call it on the request's event loop.
    func cancel(_ request: PooledRequest, _ error: any Error) {
        state.withLock { $0.connections[request.target.key.loop] }?.value.cancel(request, error)
    }

    /// Whether a request would get a connection at once. Call it on the event loop.
    func hasPlace(on target: ConnectionTarget) -> Bool {
        state.withLock { $0.connections[target.key.loop] }?.value.hasPlace(on: target) ?? false
    }

    private func connections(_ number: Int) -> LoopConnections? {
        state.withLock { state -> NIOLoopBound<LoopConnections>? in
            if let known = state.connections[number] { return known }
            guard !state.isShutDown else { return nil }
            let loop = loops[number]
            let new = NIOLoopBound(LoopConnections(loop, connector), eventLoop: loop)
            state.connections[number] = new
            return new
        }?.value
    }

    /// Closes all connections without a request. The next requests open new ones.
    func closeIdleConnections() {
        for (number, connections) in state.withLock(\.connections) {
            loops[number].execute { connections.value.closeIdle() }
        }
    }

    /// Closes all connections. Requests fail.
    func shutdown() async {
        let all = state.withLock { state in
            state.isShutDown = true
            defer { state.connections = [:] }
            return state.connections
        }
        for (number, connections) in all {
            try? await loops[number].submit { connections.value.shutdown() }.get()
        }
    }
}

/// The connections of one event loop. Used on it only.
final class LoopConnections {
    private let loop: any EventLoop
    private let connector: Connector
    private var pools: [ConnectionTarget: PooledConnections] = [:]

    init(_ loop: any EventLoop, _ connector: Connector) {
        self.loop = loop
        self.connector = connector
    }

    func submit(_ request: PooledRequest) {
        let target = request.target
        if let pool = pools[target] { return pool.submit(request) }
        let pool = PooledConnections(target, loop, connector) { [weak self] in self?.pools[target] = nil }
        pools[target] = pool
        pool.submit(request)
    }

    func cancel(_ request: PooledRequest, _ error: any Error) { pools[request.target]?.cancel(request, error) }

    func hasPlace(on target: ConnectionTarget) -> Bool { pools[target]?.hasPlace ?? false }

    func closeIdle() {
        // A pool without connections removes itself.
        for pool in Array(pools.values) { pool.closeIdle() }
    }

    func shutdown() {
        let all = pools.values
        pools = [:]
        for pool in all { pool.shutdown() }
    }
}
