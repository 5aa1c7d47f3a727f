package import Foundation

/// Durable events of one kind and session whose numbers follow each other.
package struct EventRun: Hashable, Sendable {
    package let kind: TransferEvent.Kind
    package let session: SessionID
    package let at: Date
    /// Number of the first of them.
    package let first: Int64
    package let ids: [TransferID]

    package init(kind: TransferEvent.Kind, session: SessionID, at: Date, first: Int64, ids: [TransferID]) {
        self.kind = kind
        self.session = session
        self.at = at
        self.first = first
        self.ids = ids
    }

    /// Number of the last of them; one below the first where there are none.
    package var last: Int64 { first + Int64(ids.count) - 1 }
}
