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

/// A transfer as far as it is shown, and what it needs to be told why it waits.
package struct ListedTransfer: Sendable {
    /// Holds what is shown of the request and the facts, and no failures, credentials and time under way.
    package let record: TransferRecord
    /// Scheme, host and port of its URL; the URL itself where that has none.
    package let origin: String

    package init(record: TransferRecord, origin: String) {
        self.record = record
        self.origin = origin
    }
}
