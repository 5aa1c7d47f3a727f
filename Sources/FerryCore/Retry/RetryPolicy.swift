// Ferry: FerryCore
// How long a transfer keeps trying.

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
