// Ferry: FerryEngine
// Facts that are recorded with those of others.

package import FerryCore

/// Facts of one run that are recorded together with those of others.
package struct RecordedFacts: Sendable {
    package var id: TransferID
    @Boxed package var facts: TransferFacts

    init(id: TransferID, facts: Boxed<TransferFacts>) {
        self.id = id
        _facts = facts
    }
}
