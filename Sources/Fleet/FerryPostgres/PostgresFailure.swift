import FerryCore

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

    /// Whether the database refuses a value: a data exception, a constraint, a limit, or an exception of a trigger. Other
    /// values of the same call may be fine.
    var isRefusal: Bool { ["22", "23", "54"].contains(state.prefix(2)) || state == "P0001" }

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
