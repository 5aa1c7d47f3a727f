// Ferry: FerryServer
// A batch that was read with every key checked.

import FerryAPI
import FerryCore

/// A batch of templates and items, all of whose keys are known.
struct StrictBatch: StrictBody {
    static let keys: Set = ["templates", "items", "starts"]

    private let templates: [Strict<TransferRequest>]
    private let items: Strict<TransferBatch.Columns>
    private let starts: [Strict<TransferBatch.Start>]?

    /// - Throws: ``TransferError`` with code `invalid_request` if the items' lists are not of one length.
    func batch() throws(TransferError) -> TransferBatch {
        TransferBatch(templates: templates.map(\.body), items: try items.body.items(), starts: starts?.map(\.body))
    }
}
