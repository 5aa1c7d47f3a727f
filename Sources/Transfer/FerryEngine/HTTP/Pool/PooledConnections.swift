import DequeModule
import FerryCore
import NIOCore

/// The connections of one pool: performs what ``ConnectionPool`` decides. Used on its event loop only.
final class PooledConnections: HTTPConnectionOwner {
    typealias ConnectionID = ConnectionPool.ConnectionID

    private let target: ConnectionTarget
    private let loop: any EventLoop
    private let connector: Connector
    /// Called when the pool has neither connections nor requests.
    private let isEmpty: () -> Void
    private var pool: ConnectionPool
    private var connections: [ConnectionID: any HTTPConnection] = [:]
    /// The requests without a connection.
    private var waiting: [ConnectionPool.RequestID: PooledRequest] = [:]
    /// The error of each connection that could not be opened, until its requests have it.
    private var failures: [ConnectionID: any Error] = [:]
    private var actions: Deque<ConnectionPool.Action> = []
    private var isPerforming = false
    private var isShutDown = false
    private var expiry: Scheduled<Void>?

    init(_ target: ConnectionTarget, _ loop: any EventLoop, _ connector: Connector, isEmpty: @escaping () -> Void) {
        self.target = target
        self.loop = loop
        self.connector = connector
        self.isEmpty = isEmpty
        pool = ConnectionPool(offersHTTP2: target.key.offersHTTP2, isFresh: target.key.isFresh)
    }

    var hasPlace: Bool { pool.hasPlace }

    func submit(_ request: PooledRequest) {
        waiting[request.id] = request
        perform(pool.add(request.id))
    }

    func cancel(_ request: PooledRequest, _ error: any Error) {
        if pool.remove(request.id) {
            waiting[request.id] = nil
            return perform([])
        }
        for connection in connections.values { connection.cancel(request, error) }
    }

    func closeIdle() { perform(pool.expire(at: .infinity)) }

    func shutdown() {
        isShutDown = true
        expiry?.cancel()
        for request in waiting.values { request.failed(ServiceError(.internal, "The engine has shut down.")) }
        waiting = [:]
        perform(pool.shutdown())
    }

    // MARK: Events of connections

    func ended(on id: ConnectionID, isReusable: Bool) { perform(pool.ended(on: id, isReusable: isReusable, at: now)) }

    func limited(_ id: ConnectionID, to limit: Int) { perform(pool.limited(id, to: limit)) }

    func drained(_ id: ConnectionID) { perform(pool.drained(id)) }

    func closed(_ id: ConnectionID) {
        connections[id] = nil
        perform(pool.closed(id))
    }

    private func opened(_ id: ConnectionID, _ result: Result<any HTTPConnection, any Error>) {
        switch result {
        case .success(let connection):
            connections[id] = connection
            perform(isShutDown ? [.close(id)] : pool.opened(id, connection.version, at: now))
        case .failure(let error):
            failures[id] = error
            perform(pool.failed(id))
        }
    }

    // MARK: -

    private var now: Double { Double(NIODeadline.now().uptimeNanoseconds) / 1e9 }

    /// Performs actions in order. What they cause is performed after them.
    private func perform(_ new: [ConnectionPool.Action]) {
        actions.append(contentsOf: new)
        guard !isPerforming else { return }
        isPerforming = true
        while let action = actions.popFirst() { perform(action) }
        isPerforming = false
        failures = [:]
        watchExpiry()
        if pool.isEmpty, connections.isEmpty { isEmpty() }
    }

    private func perform(_ action: ConnectionPool.Action) {
        switch action {
        case .open(let id):
            connector.open(id, to: target, on: loop, owner: self) { [self] result in opened(id, result) }
        case .assign(let request, let id):
            guard let found = waiting.removeValue(forKey: request) else { return }
            guard connections[id]?.send(found) == true else {
                waiting[request] = found
                return actions.append(contentsOf: pool.refused(request, by: id))
            }
        case .fail(let request, let id):
            waiting.removeValue(forKey: request)?.failed(failures[id] ?? ConnectionFailure.closedBeforeHead)
        case .close(let id): connections.removeValue(forKey: id)?.close()
        }
    }

    /// Closes idle connections when they are due.
    private func watchExpiry() {
        guard expiry == nil, !isShutDown, let due = pool.expiry else { return }
        expiry = loop.assumeIsolated().scheduleTask(in: .wait(max(0, due - now))) { [self] in
            expiry = nil
            perform(pool.expire(at: now))
        }
    }
}
