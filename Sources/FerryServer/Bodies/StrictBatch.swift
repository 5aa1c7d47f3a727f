// Ferry: FerryServer
// A batch that was read with every key checked.

import FerryAPI
import FerryCore

/// A batch of templates and items, all of whose keys are known.
struct StrictBatch: StrictBody {
    static let keys: Set = ["templates", "items", "starts"]

    private let templates: [Strict<TransferRequest>]
    private let items: [Strict<TransferBatch.Item>]
    private let starts: [Strict<TransferBatch.Start>]?

    var batch: TransferBatch {
        TransferBatch(templates: templates.map(\.body), items: items.map(\.body), starts: starts?.map(\.body))
    }
}
