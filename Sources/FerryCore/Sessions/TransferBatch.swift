// Ferry: FerryCore
// Many requests that differ in little.

/// Many requests of one session that differ in little; stored in one transaction.
package struct TransferBatch: Hashable, Codable, Sendable {
    /// What is the same for many items; URL, name and note of a template are replaced by those of its items.
    package var templates: [TransferRequest]
    package var items: [Item]

    package init(templates: [TransferRequest], items: [Item]) {
        self.templates = templates
        self.items = items
    }

    /// One file to be fetched.
    package struct Item: Hashable, Codable, Sendable {
        package var template: Int
        package var url: String
        /// In place of the template's; nil keeps it.
        package var folder: String?
        package var name: String?
        /// The data of the item's note; the rest of the note is the template's.
        package var data: String?

        package init(template: Int, url: String, folder: String? = nil, name: String? = nil, data: String? = nil) {
            self.template = template
            self.url = url
            self.folder = folder
            self.name = name
            self.data = data
        }
    }

    /// What became of a batch.
    package struct Report: Hashable, Codable, Sendable {
        /// One for each item, in their order.
        package var results: [Result]
        /// Number of the latest durable event when the batch was stored.
        package var lastEvent: Int64

        package init(results: [Result], lastEvent: Int64) {
            self.results = results
            self.lastEvent = lastEvent
        }

        private enum CodingKeys: String, CodingKey {
            case results
            case lastEvent = "last_event"
        }
    }

    /// What became of one item.
    package struct Result: Hashable, Codable, Sendable {
        /// The stored transfer; nil if it was refused.
        package var id: TransferID?
        package var error: TransferError?

        package init(id: TransferID? = nil, error: TransferError? = nil) {
            self.id = id
            self.error = error
        }
    }
}
