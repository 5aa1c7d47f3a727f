/// What is known of a transfer that is being forgotten and may have something on disk.
package struct Remains: Sendable {
    package let id: TransferID
    package let session: SessionID
    package let hasSucceeded: Bool
    package let partial: PartialFacts?
    /// Path of a copy on its way to the final name.
    package let copy: String?
    /// Whether a file of the partial file's usual name is another program's.
    package let isPartialNameForeign: Bool
    /// The file that goes too, as it was placed.
    package let placed: PlacementIntent?
    /// What the request says of folders and the name; nil if it cannot be read.
    package let request: TransferRequest?

    /// - Parameters:
    ///   - intent: nil if it cannot be read.
    ///   - facts: what of them is known; the rest is as at the beginning.
    ///   - outcome: nil also if it cannot be read.
    package init(
        id: TransferID, session: SessionID, intent: TransferIntent?, request: TransferRequest?, facts: TransferFacts,
        outcome: Outcome?
    ) {
        self.id = id
        self.session = session
        self.request = request
        partial = facts.partial
        copy = facts.copy
        isPartialNameForeign = facts.partialNameIsForeign
        guard case .succeeded(let success) = outcome else {
            hasSucceeded = false
            placed = nil
            return
        }
        hasSucceeded = true
        let goesToo = intent == .removeWithFile || request?.spooled == true
        placed = goesToo && !success.unchanged ? facts.placement : nil
    }

    package init(_ record: TransferRecord) {
        self.init(
            id: record.id, session: record.request.session, intent: record.intent, request: record.request,
            facts: record.facts, outcome: record.outcome)
    }
}
