// Ferry: FerryStore
// What a transfer that is being forgotten may have on disk.

package import FerryCore

/// What is known of a transfer that is being forgotten and may have something on disk.
package struct Remains: Sendable {
    package let id: TransferID
    package let session: SessionID
    /// Whether the file that it has put in its place goes too.
    package let deletesFile: Bool
    /// nil if it cannot be read.
    package let request: TransferRequest?
    package let facts: TransferFacts
    package let outcome: Outcome?

    init(
        id: TransferID, session: SessionID, deletesFile: Bool, request: TransferRequest?, facts: TransferFacts,
        outcome: Outcome?
    ) {
        self.id = id
        self.session = session
        self.deletesFile = deletesFile && request != nil
        self.request = request
        self.facts = facts
        self.outcome = outcome
    }

    /// The file that goes, as it was placed.
    package var placed: PlacementIntent? {
        guard deletesFile || request?.spooled == true, case .succeeded(let success) = outcome, !success.unchanged else {
            return nil
        }
        return facts.placement
    }
}
