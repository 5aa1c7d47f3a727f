package import FerryCore

/// The outcome of one attempt at a transfer, and the state on disk after it.
package struct RunReport: Sendable {
    package enum Result: Sendable {
        /// The file is durable at its destination.
        case succeeded(Outcome.Success)
        /// Stopped on request. All written bytes are durable.
        case stopped
        /// The service decides the next step by the error's class.
        case failed(ServiceError, retryAfter: String?)
        /// A server requires something that only the client can provide.
        case challenged(PendingChallenge)
    }

    package var result: Result
    /// The server that sent `Retry-After`. The delay applies to no other server.
    package var refusedBy: Origin?
    /// The last durable state.
    @Boxed package var facts: TransferFacts
    /// Bytes received by this attempt, and how many of them were new.
    package var cost: AttemptCost
    /// Digests of the bytes on disk, for the next run.
    package var digest: RunningDigest?

    package init(
        result: Result, refusedBy: Origin?, facts: Boxed<TransferFacts>, cost: AttemptCost, digest: RunningDigest?
    ) {
        self.result = result
        self.refusedBy = refusedBy
        _facts = facts
        self.cost = cost
        self.digest = digest
    }
}
