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

    /// Whether the database refuses a value: by a limit, a constraint, or an error of a trigger, which may have any code.
    /// Other values of the same call may be fine.
    var isRefusal: Bool {
        // These classes are about the server's state, its resources and faults, the login's rights, and errors of the queue.
        !isLoss && !isTransient
            && !["0A", "25", "28", "40", "53", "57", "58", "FY", "XX"].contains(state.prefix(2)) && state != "42501"
    }

    /// Whether a function, a table or the schema is missing. A foreign trigger may also raise these codes.
    var isAboutSchema: Bool { ["3F000", "42883", "42P01"].contains(state) }

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
