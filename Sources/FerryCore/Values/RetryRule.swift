// Ferry: FerryCore
// A client's own rule for trying again.

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

    package init(
        initialDelay: Double = 1, multiplier: Double = 2, maximumDelay: Double = 300, jitter: Double = 0.2,
        maximumAttemptsWithoutProgress: Int? = nil, statusCodes: Set<Int> = [], expiredStatusCodes: Set<Int> = [],
        doubtfulRetries: Int? = nil
    ) {
        self.initialDelay = initialDelay
        self.multiplier = multiplier
        self.maximumDelay = maximumDelay
        self.jitter = jitter
        self.maximumAttemptsWithoutProgress = maximumAttemptsWithoutProgress
        self.statusCodes = statusCodes
        self.expiredStatusCodes = expiredStatusCodes
        self.doubtfulRetries = doubtfulRetries
    }

    private enum CodingKeys: String, CodingKey {
        case multiplier, jitter
        case initialDelay = "initial_delay"
        case maximumDelay = "maximum_delay"
        case maximumAttemptsWithoutProgress = "maximum_attempts_without_progress"
        case statusCodes = "status_codes"
        case expiredStatusCodes = "expired_status_codes"
        case doubtfulRetries = "doubtful_retries"
    }
}
