import CPostgres
import Dispatch
import FerryCore
import Glibc

/// A connection of libpq. Calls block; it belongs to one thread at a time.
@safe final class PostgresConnection {
    private let connection: OpaquePointer

    /// Connection parameters that the user's own text may override.
    ///
    /// The keepalives notice within 7 seconds that the server or the path to it is gone, while the client waits for an
    /// answer too: `tcp_user_timeout` alone only notices it while sent bytes are unacknowledged (tcp(7)).
    private static let defaults = [
        ("connect_timeout", "5"), ("keepalives_idle", "3"), ("keepalives_interval", "2"), ("keepalives_count", "2"),
        ("tcp_user_timeout", "5000"), ("application_name", "ferry-fleet"), ("target_session_attrs", "read-write"),
        ("client_encoding", "UTF8"),
    ]

    /// Connects.
    ///
    /// - Throws: ``ServiceError`` with code `queue_unreachable`, or `queue_unsuitable` if the server is too old.
    init(_ address: DatabaseAddress) throws(ServiceError) {
        var parameters = Self.defaults + [("dbname", address.text)]
        if !address.allowsInsecure, let mode = try DatabaseSecurity.mode(for: Self.options(parameters)) {
            // The last one counts, whatever text, service and environment say.
            parameters.append(("sslmode", mode))
        }
        unsafe connection = try unsafe Self.opened(parameters) { unsafe PQconnectdbParams($0, $1, 1) }
        guard unsafe PQstatus(connection) == CONNECTION_OK else {
            let reason = unsafe Self.sentence(PQerrorMessage(connection))
            throw ServiceError(
                .queueUnreachable,
                "The fleet's database cannot be reached: \(reason). Check `database` in fleet.yaml and that PostgreSQL runs."
            )
        }
        if !address.allowsInsecure {
            try unsafe DatabaseSecurity.check(
                host: String(cString: PQhost(connection)), address: String(cString: PQhostaddr(connection)),
                usesTLS: PQsslInUse(connection) == 1, mode: Self.options(of: connection)["sslmode"])
        }
        let version = unsafe PQserverVersion(connection)
        guard Int(version) >= Schema.oldestServer else {
            throw ServiceError(
                .queueUnsuitable,
                "The fleet needs PostgreSQL 14 or later, and the server is version \(version / 10_000). Upgrade it.")
        }
        // Notices would go to standard error.
        unsafe PQsetNoticeProcessor(connection, { _, _ in }, nil)
    }

    private typealias Texts = UnsafePointer<UnsafePointer<CChar>?>

    /// Opens a connection.
    private static func opened(
        _ parameters: [(String, String)], _ open: (Texts, Texts) -> OpaquePointer?
    ) throws(ServiceError) -> OpaquePointer {
        let opened = unsafe withTexts(parameters.map(\.0)) { keys in
            unsafe withTexts(parameters.map(\.1)) { values in unsafe open(keys, values) }
        }
        guard let opened = unsafe opened else {
            throw ServiceError(.queueUnreachable, "The database client is out of memory.")
        }
        return unsafe opened
    }

    /// The options that libpq puts together from parameters, the service file and the environment.
    private static func options(_ parameters: [(String, String)]) throws(ServiceError) -> ConnectionOptions {
        // Begins to connect, and says nothing to the server.
        let trial = try unsafe opened(parameters) { unsafe PQconnectStartParams($0, $1, 1) }
        defer { unsafe PQfinish(trial) }
        return unsafe options(of: trial)
    }

    private static func options(of connection: OpaquePointer) -> ConnectionOptions {
        unsafe PQconninfo(connection).map { unsafe ConnectionOptions($0) } ?? ConnectionOptions([:])
    }

    /// Calls a function with texts as a null-terminated array of C strings.
    private static func withTexts<Result>(
        _ texts: [String?], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
    ) -> Result {
        let copies = unsafe texts.map { text -> UnsafePointer<CChar>? in
            guard let text, let copy = unsafe strdup(text) else { return nil }
            return unsafe UnsafePointer(copy)
        }
        defer { unsafe copies.forEach { unsafe free(UnsafeMutablePointer(mutating: $0)) } }
        return unsafe (copies + [nil]).withUnsafeBufferPointer { unsafe body($0.baseAddress!) }  // SAFETY: not empty
    }

    deinit { unsafe PQfinish(connection) }

    var socket: Int32 { unsafe PQsocket(connection) }

    /// Runs one statement with parameters in text form.
    ///
    /// - Parameter limit: Seconds within which the server must answer. Afterwards the connection is of no use, and the
    ///   server is asked to stop the statement, which may have been performed.
    /// - Throws: ``PostgresFailure``.
    @discardableResult
    func rows(
        _ statement: String, _ parameters: [String?] = [], within limit: Double = .infinity
    ) throws(PostgresFailure) -> PostgresRows {
        // Sending blocks too, if the server does not read.
        unsafe PQsetnonblocking(connection, 1)
        defer { unsafe PQsetnonblocking(connection, 0) }
        let isSent = unsafe Self.withTexts(parameters) { values in
            unsafe PQsendQueryParams(connection, statement, Int32(parameters.count), nil, values, nil, nil, 0)
        }
        guard isSent == 1 else {
            throw PostgresFailure(state: "", message: unsafe Self.sentence(PQerrorMessage(connection)))
        }
        let end = limit.isFinite ? ContinuousClock.now + .seconds(limit) : nil
        var result: OpaquePointer?
        while true {
            guard answers(before: end) else {
                unsafe PQclear(result)
                cancel()
                throw PostgresFailure(state: "", message: "no answer within \(Int(limit)) seconds")
            }
            guard let next = unsafe PQgetResult(connection) else { break }
            unsafe PQclear(result)
            unsafe result = next
        }
        return try unsafe read(result)
    }

    /// Waits until the next result can be read without blocking, or the connection is lost.
    ///
    /// - Returns: Whether that was before the end.
    private func answers(before end: ContinuousClock.Instant?) -> Bool {
        while true {
            let unsent = unsafe PQflush(connection)
            let isBusy = unsafe PQisBusy(connection) == 1
            if unsent < 0 || unsent == 0 && !isBusy { return true }
            var wait: Int32 = -1
            if let end {
                let rest = ContinuousClock.now.duration(to: end)
                guard rest > .zero else { return false }
                wait = Int32(min(rest / .milliseconds(1) + 1, 60_000))
            }
            var descriptor = pollfd(fd: socket, events: Int16(POLLIN) | (unsent == 1 ? Int16(POLLOUT) : 0), revents: 0)
            unsafe poll(&descriptor, 1, wait)
            if descriptor.revents & ~Int16(POLLOUT) != 0, unsafe PQconsumeInput(connection) == 0 { return true }
        }
    }

    /// Asks the server to stop the statement, without waiting for it: the server may not answer that either.
    private func cancel() {
        guard let request = unsafe PQgetCancel(connection) else { return }
        let pending = unsafe CancelRequest(request)
        DispatchQueue.global().async { pending.send() }
    }

    /// Runs statements without parameters.
    func run(_ script: String) throws(PostgresFailure) { _ = try unsafe read(PQexec(connection, script)) }

    private func read(_ result: OpaquePointer?) throws(PostgresFailure) -> PostgresRows {
        defer { unsafe PQclear(result) }
        let status = unsafe PQresultStatus(result)
        guard status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK else {
            // 67 is PG_DIAG_SQLSTATE, a character literal.
            let state = unsafe PQresultErrorField(result, 67).map { unsafe String(cString: $0) } ?? ""
            let isLost = unsafe PQstatus(connection) != CONNECTION_OK
            throw PostgresFailure(
                state: isLost ? "" : state, message: unsafe Self.sentence(PQerrorMessage(connection)))
        }
        let (count, width) = unsafe (PQntuples(result), PQnfields(result))
        return PostgresRows(
            rows: (0..<count).map { row in
                (0..<width).map { column in
                    guard unsafe PQgetisnull(result, row, column) == 0 else { return nil }
                    return unsafe String(cString: PQgetvalue(result, row, column))
                }
            })
    }

    /// Reads the notifications that have arrived. Returns whether there was one, or `nil` if the connection is lost.
    func takeNotifications() -> Bool? {
        guard unsafe PQconsumeInput(connection) == 1 else { return nil }
        return takeReceivedNotifications()
    }

    /// Removes the notifications that have been read, with the answer to a statement too. Returns whether there was one.
    func takeReceivedNotifications() -> Bool {
        var any = false
        while let notification = unsafe PQnotifies(connection) {
            unsafe PQfreemem(notification)
            any = true
        }
        return any
    }

    /// The first line of a message, without the severity and the final period.
    private static func sentence(_ message: UnsafeMutablePointer<CChar>?) -> String {
        guard let message = unsafe message else { return "unknown error" }
        let lines = unsafe String(cString: message).split(separator: "\n")
        var text = lines.first.map(String.init) ?? "unknown error"
        if text.hasPrefix("ERROR:  ") { text.removeFirst(8) }
        while text.hasSuffix(".") { text.removeLast() }
        return text.escapingControls
    }
}

/// A request to stop a statement.
///
/// SAFETY: libpq's cancel object is complete in itself, and one thread at a time uses it (libpq, PQcancel).
@safe private final class CancelRequest: @unchecked Sendable {  // SAFETY: see above
    private let request: OpaquePointer

    init(_ request: OpaquePointer) { unsafe self.request = request }

    func send() {
        var message = [CChar](repeating: 0, count: 256)
        unsafe PQcancel(request, &message, Int32(message.count))
    }

    deinit { unsafe PQfreeCancel(request) }
}

/// A failed statement.
struct PostgresFailure: Error {
    /// The SQLSTATE (PostgreSQL documentation, appendix A), or empty if the connection was lost.
    var state: String
    var message: String

    /// The error for the caller, if the failure has a better one than ``state`` tells.
    private var known: ServiceError?

    init(state: String, message: String) {
        self.state = state
        self.message = message
    }

    init(_ error: ServiceError) {
        self.init(state: "", message: error.message)
        known = error
    }

    /// Whether the connection is lost, or the server is about to end it. The statement may have been performed.
    var isLoss: Bool { state.isEmpty || state.hasPrefix("08") || state.hasPrefix("57P") }

    /// Whether repeating the transaction may succeed: a deadlock, a lock timeout or a canceled statement.
    var isTransient: Bool { ["40001", "40P01", "55P03", "57014"].contains(state) }

    /// The worker was given up: raised by the queue's functions.
    var isGivenUp: Bool { state == "FY001" }

    var error: ServiceError {
        if let known { return known }
        if isLoss || isTransient {
            return ServiceError(.queueUnreachable, "The fleet's database did not complete a call: \(message).")
        }
        switch state {
        // Raised by the queue's functions about their arguments.
        case "FY002": return ServiceError(.invalidRequest, message + ".")
        // invalid_schema_name, undefined_function, undefined_table
        case "3F000", "42883", "42P01":
            return ServiceError(
                .queueUnsuitable,
                "The database has no Ferry schema, or an older one: \(message). Run `ferry fleet init`, or `ferry fleet migrate`."
            )
        // insufficient_privilege
        case "42501":
            return ServiceError(
                .queueUnsuitable,
                "The database refuses this role: \(message). Its owner grants it with `GRANT ferry_worker TO role` for workers, ferry_submitter for those who add jobs, ferry_reader, or ferry_operator."
            )
        default:
            return ServiceError(.queueUnsuitable, "The fleet's database reported an error: \(message) (\(state)).")
        }
    }
}
