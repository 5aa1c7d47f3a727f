// Ferry: FerryStore
// Which transfers a page shows.

package import FerryCore

/// Which transfers a page shows; all conditions hold at once.
package struct JournalFilter: Sendable {
    package var session: SessionID?
    /// Any of these; empty is all.
    package var phases: Set<JournalPhase> = []
    package var tag: String?
    /// Only those after this one in the order of the page.
    package var after: TransferID?
    package var limit = 100
    package var newestFirst = false
    package var excluding: Set<TransferID> = []
    /// Only these; nil is all.
    package var only: Set<TransferID>?

    package init() {}
}
