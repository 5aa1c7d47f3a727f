import FerryAPI
import FerryCore
import FerryFoundation
import FerrySystem
import NIOCore
import Synchronization

/// Sends requests over the daemon's socket and reports how they failed. Never starts a daemon and never retries.
final class DaemonConnection: Sendable {
    private let socket: String
    private let limit: Duration
    private let patience: Patience?
    private let pool = Mutex(Pool())

    private struct Pool {
        /// Connections with a call or stream in progress.
        var busy: [ObjectIdentifier: DaemonSocket] = [:]
        /// Connections available for the next call.
        var idle: [DaemonSocket] = []
        var isShutDown = false
    }

    /// - Parameters:
    ///   - limit: How long one call may take.
    ///   - patience: When to give up on an unresponsive daemon. `nil` leaves it to the limit.
    init(socket: String, limit: Duration, patience: Patience? = nil) {
        self.socket = socket
        self.limit = limit
        self.patience = patience
    }

    convenience init(_ configuration: ClientConfiguration) {
        self.init(
            socket: configuration.paths.socket, limit: configuration.callLimit, patience: configuration.patience)
    }

    deinit { shutdown() }

    /// Ends open exchanges. Later calls fail as canceled.
    func shutdown() {
        let open = pool.withLock { pool in
            pool.isShutDown = true
            defer { (pool.busy, pool.idle) = ([:], []) }
            return pool.idle + pool.busy.values
        }
        for socket in open { socket.end(.canceled) }
    }

    /// Sends a request and returns the head of a successful response. The caller reads the body.
    func open(
        _ route: Route, _ target: String, body: ByteBuffer? = nil, type: String = MediaType.json, limited: Bool = true
    ) async throws(ConnectionFailure) -> DaemonResponse {
        let socket = try take()
        // A stream has no time limit, but its head must arrive soon.
        let watcher = patience.map { self.watch(over: socket, $0) }
        defer { watcher?.cancel() }
        return try await exchange(on: socket, Self.request(route, target, body, type), limited: limited)
    }

    /// Sends a request on a connection and returns the head of a successful response.
    private func exchange(
        on socket: DaemonSocket, _ request: ByteBuffer, limited: Bool
    ) async throws(ConnectionFailure) -> DaemonResponse {
        let alarm = limited ? alarm(for: socket) : nil
        let response: DaemonResponse
        do throws(ConnectionFailure) {
            try await socket.write(request)
            response = try await head(on: socket, alarm)
        } catch {
            alarm?.cancel()
            giveBack(socket, isReusable: false)
            throw error
        }
        // A daemon of another version serves none of this version's paths.
        if let api = response.head.api, api != APIVersion.current {
            throw .answered(.otherDaemon(response.head.server, speaking: api))
        }
        guard (200..<300).contains(response.head.status) else {
            let bytes = try await response.collect(upTo: BodyLimit.value)
            throw .answered(Self.error(in: bytes, status: response.head.status))
        }
        return response
    }

    private func head(
        on socket: DaemonSocket, _ alarm: Task<Void, Never>?
    ) async throws(ConnectionFailure) -> DaemonResponse {
        var framing = ResponseFraming()
        while true {
            if let head = try framing.head() {
                return DaemonResponse(head, framing, on: socket) { [weak self] isReusable in
                    alarm?.cancel()
                    if let self { self.giveBack(socket, isReusable: isReusable) } else { socket.end() }
                }
            }
            guard let more = try await socket.read() else {
                let cause = "the connection closed before a reply"
                throw socket.wasCut ? .unread(cause) : .lost(cause)
            }
            framing.append(more)
        }
    }

    private static func request(_ route: Route, _ target: String, _ body: ByteBuffer?, _ type: String) -> ByteBuffer {
        var text = "\(route.method.rawValue) \(target) HTTP/1.1\r\nHost: localhost\r\n"
        text += "User-Agent: Ferry/\(FerryVersion.current)\r\n"
        if let body {
            text += "Content-Type: \(type)\r\nContent-Length: \(body.readableBytes)\r\n"
        } else if route.method != .get {
            text += "Content-Length: 0\r\n"
        }
        var request = ByteBuffer(string: text + "\r\n")
        if var body { request.writeBuffer(&body) }
        return request
    }

    // MARK: Connections

    /// Returns a connection for one call: an idle one, or a new one.
    private func take() throws(ConnectionFailure) -> DaemonSocket {
        while let socket = try pool.withLock({ pool throws(ConnectionFailure) in
            if pool.isShutDown { throw .canceled }
            return pool.idle.popLast()
        }) {
            if !socket.isStale { return try keep(socket) }
            socket.end()
        }
        return try keep(try DaemonSocket(path: socket))
    }

    private func keep(_ socket: DaemonSocket) throws(ConnectionFailure) -> DaemonSocket {
        let isKept = pool.withLock { pool in
            if !pool.isShutDown { pool.busy[ObjectIdentifier(socket)] = socket }
            return !pool.isShutDown
        }
        guard isKept else {
            socket.end()
            throw .canceled
        }
        return socket
    }

    private func giveBack(_ socket: DaemonSocket, isReusable: Bool) {
        let isKept = pool.withLock { pool in
            pool.busy[ObjectIdentifier(socket)] = nil
            guard isReusable, !pool.isShutDown, pool.idle.count < Self.idleConnections else { return false }
            pool.idle.append(socket)
            return true
        }
        if !isKept { socket.end() }
    }

    private static let idleConnections = 8

    /// Ends a call that takes too long.
    private func alarm(for socket: DaemonSocket) -> Task<Void, Never> {
        let limit = limit
        return Task(name: "limit of a call to the daemon") { [weak socket] in
            guard (try? await Task.sleep(for: limit)) != nil else { return }
            socket?.end(.lost("no reply within \(limit.components.seconds) s"))
        }
    }

    /// Ends a call to a daemon that does not respond at all.
    private func watch(over socket: DaemonSocket, _ patience: Patience) -> Task<Void, Never> {
        Task(name: "watch over a call to the daemon") { [weak self, weak socket] in
            let name = socket.map { $0.peer > 0 ? "daemon (process \($0.peer))" : "daemon" } ?? "daemon"
            let isExhausted = await patience.isExhausted(saying: "The \(name) has not responded yet; waiting.") {
                await self?.hearSomething(patience)
            }
            guard isExhausted, let socket else { return }
            socket.end(.silent(.silence(of: name, process: socket.peer, for: patience.limit)))
        }
    }

    /// Returns once the daemon has responded to anything, or the task is canceled.
    private func hearSomething(_ patience: Patience) async {
        while !Task.isCancelled {
            do throws(ConnectionFailure) {
                let request = Self.request(GetVersion.route, GetVersion.route.target(), nil, MediaType.json)
                let response = try await exchange(on: try take(), request, limited: true)
                _ = try await response.collect(upTo: BodyLimit.value)
                return
            } catch {
                if case .answered = error { return }
            }
            // If the daemon went away, the call itself fails.
            try? await patience.sleep(patience.question)
        }
    }

    private static func error(in body: ByteBuffer, status: Int) -> ServiceError {
        if let answer = try? APIJSON.decoder.decode(ErrorBody.self, from: Data(body.readableBytesView)) {
            return answer.error
        }
        return ServiceError(
            .internal, "The daemon responded with status \(status) and an error that this version cannot read.",
            details: ErrorDetails(httpStatus: status))
    }
}
