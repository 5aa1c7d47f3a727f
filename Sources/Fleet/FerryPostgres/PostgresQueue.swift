import FerryCore
import FerryFleet

/// The shared queue in PostgreSQL, over one connection.
///
/// Connects at the first call, and again after a loss. Every call is one function of the schema `ferry` and one transaction,
/// or several if the database refuses a row. Calls run one after the other on a thread of their own.
package actor PostgresQueue: SharedQueue {
    private let address: DatabaseAddress
    private let thread = DatabaseThread()
    private var connection: PostgresConnection?
    private var isClosed = false
    /// Called after a notification, and after the connection is lost. Set while listening.
    private var onNotification: (@Sendable () -> Void)?
    /// Whether the connection listens.
    private(set) var isListening = false
    private var delays: DelayReporter?
    /// Seconds within which the server must answer a call.
    static let patience = 30.0
    /// Repetitions of a transaction that the server ended for another one.
    static let mostRepetitions = 5

    package init(_ address: DatabaseAddress) { self.address = address }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    /// Closes the connection. Call it once, last.
    package func close() {
        drop()
        isClosed = true
        thread.end()
    }

    /// Listens for hints that jobs may be waiting. The handler is called on the connection's thread.
    ///
    /// Behind a pooler nothing is listened for: it would change the session of other programs, and not reach this one.
    package func listen(_ handler: @escaping @Sendable () -> Void) {
        onNotification = handler
        drop()
    }

    /// Calls a closure with a sentence if a call takes longer than two seconds, and says what the database waits for.
    package func reportDelays(_ handler: @escaping @Sendable (String) -> Void) {
        delays = DelayReporter(address, handler)
    }

    // MARK: Connection

    /// Runs a function of the schema and returns its rows.
    func call(_ function: String, _ parameters: [Parameter]) throws(ServiceError) -> PostgresRows {
        do { return try attempt(function, parameters) } catch { throw error.error }
    }

    /// Like ``call(_:_:)``, but returns `nil` if the function reports that the worker was given up.
    func callAsWorker(_ function: String, _ parameters: [Parameter]) throws(ServiceError) -> PostgresRows? {
        do { return try attempt(function, parameters) } catch  where error.isGivenUp { return nil } catch {
            throw error.error
        }
    }

    /// Like ``call(_:_:)``, for callers that look at the failure.
    func attempt(_ function: String, _ parameters: [Parameter]) throws(PostgresFailure) -> PostgresRows {
        let places = parameters.enumerated().map { "$\($0 + 1)::\($1.type)" }.joined(separator: ", ")
        return try run("SELECT * FROM ferry.\(function)(\(places))", parameters.map(\.text))
    }

    /// Runs a query and returns its first row.
    func read(_ query: String) throws(ServiceError) -> [String?] {
        do { return try run(query, []).rows.first ?? [] } catch { throw error.error }
    }

    /// A parameter in text form.
    struct Parameter {
        var type: String
        var text: String?

        static func int(_ value: Int32) -> Parameter { Parameter(type: "int", text: String(value)) }
        static func count(_ value: Int) -> Parameter { Parameter(type: "int", text: String(Int32(clamping: value))) }
        static func text(_ value: String?) -> Parameter {
            Parameter(type: "text", text: value.map(PostgresText.storable))
        }
        static func number(_ value: Double) -> Parameter { Parameter(type: "float8", text: String(value)) }
        static func bool(_ value: Bool) -> Parameter { Parameter(type: "boolean", text: value ? "t" : "f") }
        static func big(_ value: Int64?) -> Parameter { Parameter(type: "bigint", text: value.map(String.init)) }
        static func array(_ type: String, _ values: [String?]) -> Parameter {
            Parameter(type: type + "[]", text: PostgresText.array(values))
        }
        static func array(_ type: String, of values: some Sequence<some CustomStringConvertible>) -> Parameter {
            Parameter(type: type + "[]", text: PostgresText.array(values))
        }
    }

    private func run(_ statement: String, _ parameters: [String?]) throws(PostgresFailure) -> PostgresRows {
        delays?.begin()
        defer { delays?.end() }
        var repetitions = 0
        while true {
            do {
                let connection = try connected()
                delays?.isPerformed(by: connection.process)
                // Notifications that came with an answer make the socket readable no more.
                defer { if connection.takeReceivedNotifications() { onNotification?() } }
                return try connection.transaction(statement, parameters, within: Self.patience)
            } catch {
                if error.isLoss || error.isAboutSchema || connection?.isBroken == true { drop() }
                repetitions += 1
                guard error.isTransient, repetitions < Self.mostRepetitions else { throw error }
            }
        }
    }

    private func connected() throws(PostgresFailure) -> PostgresConnection {
        if let connection { return connection }
        guard !isClosed else { throw PostgresFailure(state: "", message: "the connection is closed") }
        let fresh: PostgresConnection
        do { fresh = try PostgresConnection(address) } catch { throw PostgresFailure(error) }
        try Self.checkSchema(fresh)
        isListening = onNotification == nil ? false : try fresh.isOwnSession(within: Self.patience)
        if isListening { try fresh.rows("LISTEN ferry", within: Self.patience) }
        connection = fresh
        thread.watch(fresh.socket) { [weak self] in self?.assumeIsolated { $0.readNotifications() } }
        return fresh
    }

    private static func checkSchema(_ connection: PostgresConnection) throws(PostgresFailure) {
        do throws(PostgresFailure) {
            guard let schema = try SchemaVersion(connection) else {
                throw PostgresFailure(
                    ServiceError(.queueUnsuitable, "The Ferry schema is empty. Run `ferry fleet init`."))
            }
            try schema.requireUsable()
        } catch {
            guard error.isAboutSchema || error.state == "42501" else { throw error }
            try SchemaOwner.check(connection)
            guard error.isAboutSchema else { throw error }
            throw PostgresFailure(
                ServiceError(
                    .queueUnsuitable,
                    "The database has no Ferry schema, or an older one: \(error.message). Run `ferry fleet init`, or `ferry fleet migrate`."
                ))
        }
    }

    private func drop() {
        guard connection != nil else { return }
        thread.watch(-1, onReadable: nil)
        connection = nil
    }

    /// Called on the thread while no call is running.
    private func readNotifications() {
        let arrived = connection?.takeNotifications()
        if arrived == nil || arrived == .some(nil) { drop() }
        if arrived != false { onNotification?() }
    }
}
