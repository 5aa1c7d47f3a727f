package import FerryCore

/// How one attempt at a transfer went, and what is on disk after it.
package struct RunReport: Sendable {
    package enum Result: Sendable {
        /// The file is at its destination, durable.
        case succeeded(Outcome.Success)
        /// Stopped as asked; everything written is durable.
        case stopped
        /// The service decides by the error's class what comes next.
        case failed(ServiceError, retryAfter: String?)
        /// A server wants something that only the client can give.
        case challenged(PendingChallenge)
    }

    package var result: Result
    /// The server that asked to come back later; others are not meant.
    package var refusedBy: Origin?
    /// As last made durable.
    @Boxed package var facts: TransferFacts
    /// What this attempt received, and what of it was new.
    package var cost: AttemptCost
    /// Digests of the bytes on disk, for the next run.
    package var digest: RunningDigest?

    init(result: Result, refusedBy: Origin?, facts: Boxed<TransferFacts>, cost: AttemptCost, digest: RunningDigest?) {
        self.result = result
        self.refusedBy = refusedBy
        _facts = facts
        self.cost = cost
        self.digest = digest
    }
}
