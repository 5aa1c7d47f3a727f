package import FerryCore
package import FerryRules

/// The possible files of a transfer that is being removed.
package struct Remains: Sendable {
    package let id: TransferID
    package let session: SessionID
    package let hasSucceeded: Bool
    package let partial: PartialFacts?
    /// Path of a temporary copy on its way to the final name.
    package let copy: String?
    /// Whether a file with the partial file's default name belongs to another program.
    package let isPartialNameForeign: Bool
    /// The placed file to remove as well.
    package let placed: PlacementIntent?
    /// A placement that may have been interrupted.
    package let intended: PlacementIntent?
    /// The folders and the name of the request, or nil if it is unreadable.
    package let request: TransferRequest?

    /// - Parameters:
    ///   - intent: Nil if unreadable.
    ///   - facts: The readable facts. Others have their initial values.
    ///   - outcome: Nil if unreadable or absent.
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
            intended = facts.placement
            return
        }
        hasSucceeded = true
        intended = nil
        let goesToo = intent == .removeWithFile || request?.file.spooled == true
        placed = goesToo && !success.unchanged ? facts.placement : nil
    }

    package init(_ record: TransferRecord) {
        self.init(
            id: record.id, session: record.request.session, intent: record.intent, request: record.request,
            facts: record.facts, outcome: record.outcome)
    }
}
