// Ferry: FerryCore
// One page of a list.

/// One page of a list of transfers.
package struct TransferPage: Hashable, Codable, Sendable {
    package var transfers: [Transfer]
    /// The cursor of the next page; nil on the last.
    package var next: TransferID?

    package init(transfers: [Transfer], next: TransferID?) {
        self.transfers = transfers
        self.next = next
    }
}
