// Ferry: FerryEngine
// How one try of a transfer went.

package import FerryCore

/// How one try of a transfer went, and what is on disk after it.
package struct RunReport: Sendable {
    package enum Result: Sendable {
        /// The file is at its destination, durable.
        case succeeded(Outcome.Success)
        /// Stopped as asked; everything written is durable.
        case stopped
        /// The service decides by the error's class what comes next.
        case failed(TransferError, retryAfter: String?)
        /// A server wants something that only the client can give.
        case challenged(PendingChallenge)
    }

    package var result: Result
    /// As last made durable.
    @Boxed package var facts: TransferFacts
    /// What this attempt received, and what of it was new.
    package var cost: AttemptCost
    /// Digests of the bytes on disk, for the next run.
    package var digest: RunningDigest?

    init(result: Result, facts: Boxed<TransferFacts>, cost: AttemptCost, digest: RunningDigest?) {
        self.result = result
        _facts = facts
        self.cost = cost
        self.digest = digest
    }
}
