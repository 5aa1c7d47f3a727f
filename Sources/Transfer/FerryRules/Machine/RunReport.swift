package import FerryCore

/// The outcome of one attempt at a transfer, and the state on disk after it.
package struct RunReport: Sendable {
    package var result: TransferMachine.AttemptEnd
    /// The server that sent `Retry-After`. The delay applies to no other server.
    package var refusedBy: Origin?
    /// The last durable state.
    @Boxed package var facts: TransferFacts
    /// Bytes received by this attempt, and how many of them were new.
    package var cost: AttemptCost
    /// Digests of the bytes on disk, for the next run.
    package var digest: RunningDigest?
    /// How many requests the server takes at a time on the connection: 1 over HTTP/1.1. `nil` if unknown.
    package var places: Int?

    package init(
        result: TransferMachine.AttemptEnd, refusedBy: Origin?, facts: Boxed<TransferFacts>, cost: AttemptCost,
        digest: RunningDigest?
    ) {
        self.result = result
        self.refusedBy = refusedBy
        _facts = facts
        self.cost = cost
        self.digest = digest
    }
}
