import CPostgres
import Dispatch
import Glibc

/// Statements, and how long they may take.
extension PostgresConnection {
    /// Runs one statement with parameters in text form, under the session's own settings.
    ///
    /// - Parameter limit: Seconds within which the server must answer.
    /// - Throws: ``PostgresFailure``.
    @discardableResult
    func rows(
        _ statement: String, _ parameters: [String?] = [], within limit: Double = .infinity
    ) throws(PostgresFailure) -> PostgresRows {
        try perform([(statement, parameters)], within: limit)[0]
    }

    /// Runs one statement with parameters in text form, in a transaction with the settings that Ferry relies on.
    ///
    /// Everything is sent at once and takes one round trip. The settings end with the transaction: behind a pooler, other
    /// programs use the server's connection next.
    ///
    /// - Parameter limit: Seconds within which the server must answer. Afterwards the connection is of no use, and the
    ///   server is asked to stop the statement, which may have been performed.
    /// - Throws: ``PostgresFailure``.
    func transaction(
        _ statement: String, _ parameters: [String?] = [], within limit: Double = .infinity
    ) throws(PostgresFailure) -> PostgresRows {
        try perform(
            [
                (TransactionSettings.begin, []), (TransactionSettings.statement, []), (statement, parameters),
                (Self.commit, []),
            ], within: limit)[2]
    }

    /// Whether the server's session belongs to this connection alone, and not to a pooler.
    func isOwnSession(within limit: Double) throws(PostgresFailure) -> Bool {
        try rows("SELECT pg_catalog.pg_backend_pid()", within: limit).single == "\(process)"
    }

    /// Runs statements without parameters.
    func run(_ script: String) throws(PostgresFailure) {
        let result = unsafe PQexec(connection, script)
        defer { unsafe PQclear(result) }
        _ = try unsafe read(result)
    }

    private static let commit = "COMMIT"

    // MARK: Pipeline

    /// Sends statements in one pipeline and returns the rows of each (libpq, Pipeline Mode).
    private func perform(
        _ statements: [(text: String, parameters: [String?])], within limit: Double
    ) throws(PostgresFailure) -> [PostgresRows] {
        let wait = Wait(limit)
        // Sending blocks too, if the server does not read.
        unsafe PQsetnonblocking(connection, 1)
        unsafe PQenterPipelineMode(connection)
        defer {
            unsafe PQexitPipelineMode(connection)
            unsafe PQsetnonblocking(connection, 0)
        }
        for (text, parameters) in statements {
            let isSent = unsafe Self.withTexts(parameters) { values in
                unsafe PQsendQueryParams(connection, text, Int32(parameters.count), nil, values, nil, nil, 0)
            }
            guard isSent == 1 else { throw lost }
        }
        guard unsafe PQpipelineSync(connection) == 1 else { throw lost }
        var answers: [PostgresRows] = []
        var failure: PostgresFailure?
        for place in statements.indices {
            // Canceling a commit that waits for a standby would complete it without the standby.
            wait.mayCancel = statements[place].text != Self.commit
            do {
                if let rows = try answer(wait) { answers.append(rows) }
            } catch  where error.isLoss {
                throw error
            } catch {
                var error = error
                // BEGIN changes nothing. A server that refuses it, such as a standby behind a pooler, cannot be used now.
                if statements[place].text == TransactionSettings.begin { error.state = "" }
                failure = error
            }
        }
        try endOfPipeline(wait)
        guard let failure else {
            guard answers.count == statements.count else { throw lost }
            return answers
        }
        do { try rollBack(wait) } catch { isBroken = true }
        throw failure
    }

    private func endOfPipeline(_ wait: Wait) throws(PostgresFailure) {
        let sync = try unsafe result(wait)
        defer { unsafe PQclear(sync) }
        guard unsafe PQresultStatus(sync) == PGRES_PIPELINE_SYNC else { throw lost }
    }

    /// Ends the transaction of a statement that failed.
    private func rollBack(_ wait: Wait) throws(PostgresFailure) {
        guard unsafe PQtransactionStatus(connection) == PQTRANS_INERROR else { return }
        guard unsafe PQsendQueryParams(connection, "ROLLBACK", 0, nil, nil, nil, nil, 0) == 1,
            unsafe PQpipelineSync(connection) == 1
        else { throw lost }
        _ = try answer(wait)
        try endOfPipeline(wait)
    }

    /// The rows of one statement, or `nil` if it was not performed because one before has failed.
    private func answer(_ wait: Wait) throws(PostgresFailure) -> PostgresRows? {
        guard let first = try unsafe result(wait) else { throw lost }
        defer { unsafe PQclear(first) }
        // Null ends the results of a statement.
        while let next = try unsafe result(wait) { unsafe PQclear(next) }
        return unsafe PQresultStatus(first) == PGRES_PIPELINE_ABORTED ? nil : try unsafe read(first)
    }

    /// The next result, which the caller frees, or `nil` after the last one of a statement.
    private func result(_ wait: Wait) throws(PostgresFailure) -> OpaquePointer? {
        guard answers(wait) else {
            if wait.mayCancel { cancel() }
            throw PostgresFailure(
                state: "",
                message: "no answer within \(Int(wait.limit)) seconds; it may have been performed all the same")
        }
        return unsafe PQgetResult(connection)
    }

    private var lost: PostgresFailure {
        PostgresFailure(state: "", message: unsafe Self.sentence(PQerrorMessage(connection)))
    }

    /// Waits until the next result can be read without blocking, or the connection is lost.
    ///
    /// - Returns: Whether that was in time.
    private func answers(_ wait: Wait) -> Bool {
        while true {
            let unsent = unsafe PQflush(connection)
            let isBusy = unsafe PQisBusy(connection) == 1
            if unsent < 0 || unsent == 0 && !isBusy { return true }
            guard let milliseconds = wait.milliseconds else { return false }
            var descriptor = pollfd(fd: socket, events: Int16(POLLIN) | (unsent == 1 ? Int16(POLLOUT) : 0), revents: 0)
            unsafe poll(&descriptor, 1, milliseconds)
            if descriptor.revents & ~Int16(POLLOUT) != 0, unsafe PQconsumeInput(connection) == 0 { return true }
        }
    }

    /// Asks the server to stop the statement, without waiting for it: the server may not answer that either.
    private func cancel() {
        guard let request = unsafe PQgetCancel(connection) else { return }
        let pending = unsafe CancelRequest(request)
        DispatchQueue.global().async { pending.send() }
    }

    private func read(_ result: OpaquePointer?) throws(PostgresFailure) -> PostgresRows {
        let status = unsafe PQresultStatus(result)
        guard status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK else {
            // PG_DIAG_SQLSTATE, PG_DIAG_SEVERITY_NONLOCALIZED and PG_DIAG_MESSAGE_PRIMARY are character literals, which
            // Swift does not import.
            let state = unsafe Self.field(result, "C") ?? ""
            let message = unsafe Self.field(result, "M").map { Self.sentence($0) } ?? lost.message
            let isFatal = unsafe ["FATAL", "PANIC"].contains(Self.field(result, "V"))
            let isLost = unsafe isFatal || PQstatus(connection) != CONNECTION_OK
            throw PostgresFailure(state: isLost ? "" : state, message: message)
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

    private static func field(_ result: OpaquePointer?, _ code: Unicode.Scalar) -> String? {
        unsafe PQresultErrorField(result, Int32(code.value)).map { unsafe String(cString: $0) }
    }
}

/// The wait for an answer, which may contain several results.
private final class Wait {
    let limit: Double
    /// Whether the server may be asked to stop what it is doing.
    var mayCancel = true
    private let end: ContinuousClock.Instant?

    init(_ limit: Double) {
        self.limit = limit
        end = limit.isFinite ? ContinuousClock.now + .seconds(limit) : nil
    }

    /// How long to wait for the socket, as poll(2) takes it, or `nil` if the time is over.
    var milliseconds: Int32? {
        guard let end else { return -1 }
        let rest = ContinuousClock.now.duration(to: end)
        return rest > .zero ? Int32(min(rest / .milliseconds(1) + 1, 60_000)) : nil
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
