import FerryCore
import FerryRules

/// Conditions that decide the outcome of an attempt, regardless of its last error.
struct AttemptEnding: Sendable {
    private(set) var isStopping = false
    private var stopError: ServiceError?
    /// The challenge that the client has to answer first.
    var challenge: PendingChallenge?
    /// The server's `Retry-After` request that came with the failure.
    var later: RetryAfterResponse?
    /// Whether a request was sent completely that must not be sent twice.
    var isUnrepeatable = false

    /// Stops, with an error decided elsewhere or with none.
    mutating func stop(with error: ServiceError?) {
        isStopping = true
        if let error { stopError = error }
    }

    /// Returns the result of a failed attempt.
    ///
    /// - Parameter isFinal: Whether no other attempt may follow.
    func result(of error: ServiceError, isFinal: Bool) -> TransferMachine.AttemptEnd {
        if let stopError { return .failed(stopError, retryAfter: nil) }
        if isStopping { return .stopped }
        if let challenge { return .challenged(challenge) }
        var error = error
        if isUnrepeatable || isFinal { error.classOverride = .final }
        return .failed(error, retryAfter: later?.value)
    }
}
