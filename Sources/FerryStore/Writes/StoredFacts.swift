// Ferry: FerryStore
// Facts, as they are stored.

package import FerryCore

/// Facts as they are stored; made before the transaction, so that nobody waits while they are written as text.
package struct StoredFacts: Sendable {
    let text: String
    let leavesWork: Bool

    package init(_ facts: TransferFacts) throws(TransferError) {
        text = try JournalJSON.text(facts)
        leavesWork = facts.leavesWork
    }
}
