/// How long a transfer keeps trying without progress.
package struct RetryPolicy: Hashable, Codable, Sendable {
    /// Retries before the transfer fails, for patient and doubtful failures alike; nil: the limit of the error's class.
    package var retries: Int?
    /// Retries after answers that mean a busy server (`server_busy`); nil: as other failures of their class.
    package var statusRetries: Int?
    /// Seconds without progress after which the transfer fails; 0: never.
    package var giveUpAfter: Double
    /// The client's own rule, which goes before the classes' limits and delays.
    package var rule: RetryRule?

    package static let defaultGiveUpAfter = 7.0 * 86_400
    /// Retries after doubtful failures where the user set no number.
    package static let doubtfulRetries = 5

    package init(
        retries: Int? = nil, statusRetries: Int? = nil, giveUpAfter: Double = defaultGiveUpAfter,
        rule: RetryRule? = nil
    ) {
        self.retries = retries
        self.statusRetries = statusRetries
        self.giveUpAfter = giveUpAfter
        self.rule = rule
    }
}

/// A client's own rule for trying again, in place of the usual one.
package struct RetryRule: Hashable, Codable, Sendable {
    /// Seconds before the first retry.
    package var initialDelay: Double
    package var multiplier: Double
    /// Seconds between two tries at most.
    package var maximumDelay: Double
    /// Share of the delay by which it is made shorter or longer at random, 0 to 1.
    package var jitter: Double
    /// Tries without a new byte before the failure is final; nil is no limit.
    package var maximumAttemptsWithoutProgress: Int?
    /// Statuses that are tried again, where policy `any` would deliver them.
    package var statusCodes: Set<Int>
    /// Statuses that mean that the URL has expired: the transfer waits for another one.
    package var expiredStatusCodes: Set<Int>
    /// Retries after failures that most likely stay, as of TLS or of answers that make no sense; nil is no limit.
    package var doubtfulRetries: Int?
    /// Retries where the server was not reached and nothing suggests that it will be, as long as no byte has come; nil is
    /// no limit of its own.
    package var unreachableRetries: Int?

    package init(
        initialDelay: Double = 1, multiplier: Double = 2, maximumDelay: Double = 300, jitter: Double = 0.2,
        maximumAttemptsWithoutProgress: Int? = nil, statusCodes: Set<Int> = [], expiredStatusCodes: Set<Int> = [],
        doubtfulRetries: Int? = nil, unreachableRetries: Int? = nil
    ) {
        self.initialDelay = initialDelay
        self.multiplier = multiplier
        self.maximumDelay = maximumDelay
        self.jitter = jitter
        self.maximumAttemptsWithoutProgress = maximumAttemptsWithoutProgress
        self.statusCodes = statusCodes
        self.expiredStatusCodes = expiredStatusCodes
        self.doubtfulRetries = doubtfulRetries
        self.unreachableRetries = unreachableRetries
    }

    private enum CodingKeys: String, CodingKey {
        case multiplier, jitter
        case initialDelay = "initial_delay"
        case maximumDelay = "maximum_delay"
        case maximumAttemptsWithoutProgress = "maximum_attempts_without_progress"
        case statusCodes = "status_codes"
        case expiredStatusCodes = "expired_status_codes"
        case doubtfulRetries = "doubtful_retries"
        case unreachableRetries = "unreachable_retries"
    }
}

/// What a client's own rule says about statuses.
extension RetryPolicy {
    /// The class of a failure: a status that the client wants tried again is patient.
    package func errorClass(of error: ServiceError) -> ErrorClass {
        guard let rule else { return error.errorClass }
        if let status = error.details.httpStatus, rule.statusCodes.contains(status) { return .patient }
        let isPatient = error.code.row.subject.changesWithNetwork && error.errorClass == .doubtful
        return isPatient ? .patient : error.errorClass
    }

    /// The policy for a transfer of which bytes are there: its server has been reached.
    package var afterBytes: RetryPolicy {
        var policy = self
        policy.rule?.unreachableRetries = nil
        return policy
    }
}

extension TransferRequest {
    /// How long it keeps trying.
    package var retryPolicy: RetryPolicy {
        RetryPolicy(retries: retries, statusRetries: statusRetries, giveUpAfter: giveUpAfter, rule: retryRule)
    }
}
