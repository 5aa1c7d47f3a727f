import FerryCore

/// What an attempt is to end with, whatever its last error is.
struct AttemptEnding: Sendable {
    private(set) var isStopping = false
    private var stopError: ServiceError?
    /// The challenge that its client has to answer first.
    var challenge: PendingChallenge?
    /// What the server asked for with the failure.
    var later: RetryAfterResponse?
    /// Whether a request went out whole that must not go out twice.
    var isUnrepeatable = false

    /// Stops, with an error that was decided elsewhere or with none.
    mutating func stop(with error: ServiceError?) {
        isStopping = true
        if let error { stopError = error }
    }

    /// How an attempt that failed has ended.
    ///
    /// - Parameter isFinal: whether no other attempt may follow.
    func result(of error: ServiceError, isFinal: Bool) -> RunReport.Result {
        if let stopError { return .failed(stopError, retryAfter: nil) }
        if isStopping { return .stopped }
        if let challenge { return .challenged(challenge) }
        var error = error
        if isUnrepeatable || isFinal { error.classOverride = .final }
        return .failed(error, retryAfter: later?.value)
    }
}
