import DequeModule
import OrderedCollections

/// Decides which connection takes which request, and when connections are opened and closed.
///
/// Pure value: one pool has the connections of one ``ConnectionTarget``. Its owner reports events and performs the
/// returned actions in order. Times are seconds of any monotonic clock.
struct ConnectionPool {
    /// Identifies a connection from the action that opens it until it is closed.
    struct ConnectionID: Hashable, Sendable {
        let number: Int
    }

    struct RequestID: Hashable, Sendable {
        let number: Int
    }

    enum Action: Hashable {
        case open(ConnectionID)
        /// The connection takes the request. Report `ended` once.
        case assign(RequestID, ConnectionID)
        /// The request has no connection, because this one could not be opened.
        case fail(RequestID, ConnectionID)
        /// The connection is no longer part of the pool.
        case close(ConnectionID)
    }

    enum Version: Hashable, Sendable { case http1, http2 }

    private enum Phase { case opening, open, draining }

    private struct Connection {
        var phase = Phase.opening
        var version = Version.http1
        /// Requests that the connection has taken and that have not ended.
        var used = 0
        /// Maximum of `used`.
        var limit = 1
        var idleSince = 0.0

        var hasPlace: Bool { phase == .open && used < limit }
        var isIdle: Bool { phase == .open && used == 0 }
    }

    /// Time after which an unused connection is closed.
    static let idleTime = 15.0
    /// Requests sent on an HTTP/2 connection before its server's settings have arrived (RFC 9113 §6.5.2).
    static let placesBeforeSettings = 16

    /// Whether connections are closed after one request.
    private let isFresh: Bool
    /// Whether the next connection probably speaks HTTP/2, so that waiting requests may share it.
    private var expectsHTTP2: Bool
    /// In the order of opening.
    private var connections: OrderedDictionary<ConnectionID, Connection> = [:]
    /// Requests without a connection, oldest first.
    private var line: Deque<RequestID> = []
    private var opened = 0

    init(offersHTTP2: Bool, isFresh: Bool = false) {
        expectsHTTP2 = offersHTTP2
        self.isFresh = isFresh
    }

    var isEmpty: Bool { connections.isEmpty && line.isEmpty }

    /// Whether a request would get a connection at once.
    var hasPlace: Bool { line.isEmpty && connections.values.contains(where: \.hasPlace) }

    /// Time at which the first idle connection is due to be closed.
    var expiry: Double? { connections.values.filter(\.isIdle).map { $0.idleSince + Self.idleTime }.min() }

    // MARK: Requests

    /// Adds a request to the end of the line.
    mutating func add(_ request: RequestID) -> [Action] {
        line.append(request)
        return serve()
    }

    /// Removes a request that waits in line. A request with a connection ends instead.
    ///
    /// - Returns: Whether it was in line.
    mutating func remove(_ request: RequestID) -> Bool {
        guard let index = line.firstIndex(of: request) else { return false }
        line.remove(at: index)
        return true
    }

    /// Records the end of a request on a connection.
    ///
    /// - Parameter isReusable: Whether the connection can take another request in its place.
    mutating func ended(on id: ConnectionID, isReusable: Bool, at now: Double) -> [Action] {
        guard var connection = connections[id] else { return [] }
        connection.used -= 1
        connection.idleSince = now
        if !isReusable || isFresh { connection.phase = .draining }
        connections[id] = connection
        return settle(id) + serve()
    }

    /// Records that a connection cannot take the request that it was assigned. It gets back its place in line.
    mutating func refused(_ request: RequestID, by id: ConnectionID) -> [Action] {
        line.insert(request, at: line.firstIndex { $0.number > request.number } ?? line.endIndex)
        guard connections[id] != nil else { return serve() }
        connections[id]?.used -= 1
        connections[id]?.phase = .draining
        return settle(id) + serve()
    }

    // MARK: Connections

    /// Records that a connection can be used.
    mutating func opened(_ id: ConnectionID, _ version: Version, at now: Double) -> [Action] {
        guard var connection = connections[id], connection.phase == .opening else { return [.close(id)] }
        connection.phase = .open
        connection.version = version
        connection.idleSince = now
        if version == .http2, !isFresh { connection.limit = Self.placesBeforeSettings }
        connections[id] = connection
        expectsHTTP2 = version == .http2
        return serve()
    }

    /// Records that a connection could not be opened.
    ///
    /// The oldest request in line fails. If several wait for this connection, all of them fail: each of them would wait
    /// as long for the same failure.
    mutating func failed(_ id: ConnectionID) -> [Action] {
        guard let connection = connections[id], connection.phase == .opening else { return [] }
        connections[id] = nil
        let opening = connections.values.count { $0.phase == .opening }
        let isShared = expectsHTTP2 && !isFresh && opening == 0
        let count = isShared ? line.count : line.count > opening ? 1 : 0
        let actions = line.prefix(count).map { Action.fail($0, id) }
        line.removeFirst(count)
        return actions + serve()
    }

    /// Records how many requests an HTTP/2 connection may have at a time.
    mutating func limited(_ id: ConnectionID, to limit: Int) -> [Action] {
        guard connections[id]?.version == .http2, !isFresh else { return [] }
        connections[id]?.limit = limit
        return serve()
    }

    /// Records that a connection takes no more requests, such as after GOAWAY (RFC 9113 §6.8).
    mutating func drained(_ id: ConnectionID) -> [Action] {
        guard connections[id] != nil else { return [] }
        connections[id]?.phase = .draining
        return settle(id) + serve()
    }

    /// Records that a connection has closed. Its requests have ended or will be reported as ended.
    mutating func closed(_ id: ConnectionID) -> [Action] {
        guard connections.removeValue(forKey: id) != nil else { return [] }
        return serve()
    }

    /// Closes the connections that have been idle for too long.
    mutating func expire(at now: Double) -> [Action] {
        let idle = connections.filter { $0.value.isIdle && $0.value.idleSince + Self.idleTime <= now }.keys
        for id in idle { connections[id] = nil }
        // A server that allowed no request may do so on another connection.
        return idle.map(Action.close) + serve()
    }

    /// Closes all connections, and fails no request: the owner does.
    mutating func shutdown() -> [Action] {
        defer { (connections, line) = ([:], []) }
        return connections.keys.map(Action.close)
    }

    // MARK: -

    /// Removes a connection that takes no more requests, once it has none.
    private mutating func settle(_ id: ConnectionID) -> [Action] {
        guard let connection = connections[id], connection.phase == .draining, connection.used == 0 else { return [] }
        connections[id] = nil
        return [.close(id)]
    }

    /// Assigns the requests in line, and opens connections for the rest.
    private mutating func serve() -> [Action] {
        var actions: [Action] = []
        while let request = line.first, let id = bestConnection {
            line.removeFirst()
            connections[id]?.used += 1
            actions.append(.assign(request, id))
        }
        for _ in 0..<missing {
            opened += 1
            let id = ConnectionID(number: opened)
            connections[id] = Connection()
            actions.append(.open(id))
        }
        return actions
    }

    /// The connection with the most requests among those with a place, so that others become idle. Of equal ones, the
    /// one used last: it is the least likely to be closed by its server.
    private var bestConnection: ConnectionID? {
        connections.filter(\.value.hasPlace).max {
            ($0.value.used, $0.value.idleSince) < ($1.value.used, $1.value.idleSince)
        }?.key
    }

    /// Number of connections to open for the requests in line.
    private var missing: Int {
        let opening = connections.values.count { $0.phase == .opening }
        guard expectsHTTP2, !isFresh else { return max(0, line.count - opening) }
        // A server that allows no request at all would not allow one on another connection either.
        let isClosedToAll = connections.values.contains { $0.phase == .open && $0.limit == 0 }
        return line.isEmpty || opening > 0 || isClosedToAll ? 0 : 1
    }
}
