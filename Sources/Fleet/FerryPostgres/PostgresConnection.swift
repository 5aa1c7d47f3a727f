import CPostgres
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
    /// - Throws: ``PostgresFailure``.
    @discardableResult
    func rows(_ statement: String, _ parameters: [String?] = []) throws(PostgresFailure) -> PostgresRows {
        let result = unsafe Self.withTexts(parameters) { values in
            unsafe PQexecParams(connection, statement, Int32(parameters.count), nil, values, nil, nil, 0)
        }
        return try unsafe read(result)
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
