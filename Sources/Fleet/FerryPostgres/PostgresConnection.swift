import CPostgres
import FerryCore
import Glibc

/// A connection of libpq. Calls block; it belongs to one thread at a time.
@safe final class PostgresConnection {
    let connection: OpaquePointer
    /// Whether a failed transaction could not be ended. The connection is of no use then.
    var isBroken = false

    /// Connection parameters that the user's own text may override.
    ///
    /// The keepalives notice within 7 seconds that the server or the path to it is gone, while the client waits for an
    /// answer too: `tcp_user_timeout` alone only notices it while sent bytes are unacknowledged (tcp(7)).
    private static let defaults = [
        ("connect_timeout", "5"), ("keepalives_idle", "3"), ("keepalives_interval", "2"), ("keepalives_count", "2"),
        ("tcp_user_timeout", "5000"), ("application_name", "ferry-fleet"), ("target_session_attrs", "primary"),
    ]

    /// Connects.
    ///
    /// - Throws: ``ServiceError`` with code `queue_unreachable`, or `queue_unsuitable` if the server is too old.
    init(_ address: DatabaseAddress) throws(ServiceError) {
        // The last one counts, whatever text, service and environment say.
        var parameters = Self.defaults + [("dbname", address.text), ("client_encoding", "UTF8")]
        if !address.allowsInsecure, let mode = try DatabaseSecurity.mode(for: Self.options(parameters)) {
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
        try unsafe DatabaseRequirements.check(version: Int(PQserverVersion(connection)))
        // Notices would go to standard error.
        unsafe PQsetNoticeProcessor(connection, { _, _ in }, nil)
        let name = unsafe String(cString: PQdb(connection))
        try DatabaseRequirements.check(encoding: encoding, database: name)
    }

    /// The database's encoding. A pooler need not report it.
    private var encoding: String? {
        unsafe PQparameterStatus(connection, "server_encoding").map { unsafe String(cString: $0) }
            ?? (try? rows("SHOW server_encoding", within: 5))?.single
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
    static func withTexts<Result>(
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

    var user: String { unsafe String(cString: PQuser(connection)) }

    /// The number of the server's process, or of a pooler's choice.
    var process: Int32 { unsafe PQbackendPID(connection) }

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

    /// The first line of a message without the final period.
    static func sentence(_ message: UnsafeMutablePointer<CChar>?) -> String {
        unsafe message.map { sentence(unsafe String(cString: $0)) } ?? "unknown error"
    }

    static func sentence(_ message: String) -> String {
        var text = message.split(separator: "\n").first.map(String.init) ?? "unknown error"
        while text.hasSuffix(".") { text.removeLast() }
        return text.escapingControls
    }
}
