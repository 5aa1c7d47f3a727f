/// Retry limits of a transfer.
package struct RetryPolicy: Hashable, Codable, Sendable {
    /// Maximum number of retries for patient and doubtful failures alike. Nil uses the default of the error's class.
    package var retries: Int?
    /// Maximum number of retries after responses of a busy server (`server_busy`). Nil counts them with other failures.
    package var statusRetries: Int?
    /// Seconds without progress after which the transfer fails. 0 for never.
    package var giveUpAfter: Double
    /// The client's own rule. Takes precedence over class limits and delays.
    package var rule: RetryRule?

    package static let defaultGiveUpAfter = 7.0 * 86_400
    /// Default maximum number of retries after doubtful failures.
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

/// A client's own retry rule, instead of the default.
package struct RetryRule: Hashable, Codable, Sendable {
    /// Seconds before the first retry.
    package var initialDelay: Double
    package var multiplier: Double
    /// Maximum delay between two attempts, in seconds.
    package var maximumDelay: Double
    /// Share of the delay, 0 to 1, by which it is randomly shortened or lengthened.
    package var jitter: Double
    /// Maximum number of attempts without a new byte. Nil for no limit.
    package var maximumAttemptsWithoutProgress: Int?
    /// Statuses to retry that policy `any` would otherwise deliver.
    package var statusCodes: Set<Int>
    /// Statuses that mean an expired URL: the transfer waits for a new one.
    package var expiredStatusCodes: Set<Int>
    /// Maximum number of retries after failures that are probably permanent, such as TLS errors or invalid responses.
    /// Nil for no limit.
    package var doubtfulRetries: Int?
    /// Maximum number of retries while the server is unreachable with a poor prospect and no byte has arrived. Nil for
    /// no separate limit.
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

    /// The delays, before jitter.
    package var backoff: Backoff { Backoff(first: initialDelay, longest: maximumDelay, multiplier: multiplier) }

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

/// A client's own rule about statuses.
extension RetryPolicy {
    /// The class of a failure. A status that the client retries is patient.
    package func errorClass(of error: ServiceError) -> ErrorClass {
        guard let rule else { return error.errorClass }
        if let status = error.details.httpStatus, rule.statusCodes.contains(status) { return .patient }
        let isPatient = error.code.row.subject.changesWithNetwork && error.errorClass == .doubtful
        return isPatient ? .patient : error.errorClass
    }

    /// The policy for a transfer with bytes on disk: its server has been reached.
    package var afterBytes: RetryPolicy {
        var policy = self
        policy.rule?.unreachableRetries = nil
        return policy
    }
}

extension TransferRequest {
    /// The retry limits of the request.
    package var retryPolicy: RetryPolicy {
        RetryPolicy(
            retries: timing.retries, statusRetries: timing.statusRetries, giveUpAfter: timing.giveUpAfter,
            rule: timing.retryRule)
    }
}
