// Ferry: FerryCore
// How a failure is treated before anybody is told.

/// What Ferry does about a failure by itself.
package enum ErrorClass: String, Codable, Sendable {
    /// Waits until the cause is gone; not counted as a failure.
    case wait
    /// Tries again, with growing delays, until `giveUpAfter`.
    case patient
    /// Tries again a few times, since the cause may be permanent.
    case doubtful
    /// Ends the transfer.
    case final
}
