// Ferry: FerryCore
// Many requests that differ in little.

/// Many requests of one session that differ in little; stored in one transaction.
package struct TransferBatch: Hashable, Sendable {
    /// What is the same for many items; URL, name and note of a template are replaced by those of its items.
    package var templates: [TransferRequest]
    package var items: [Item]
    /// Transfers that the session has already, which go on in the same transaction.
    package var starts: [Start]?

    package init(templates: [TransferRequest], items: [Item], starts: [Start]? = nil) {
        self.templates = templates
        self.items = items
        self.starts = starts
    }

    /// One file to be fetched.
    package struct Item: Hashable, Sendable {
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

    /// A transfer that goes on, and what is changed about it.
    package struct Start: Hashable, Codable, Sendable {
        package var id: TransferID
        /// Other fields of its own; nil keeps them.
        package var headers: [HeaderField]?
        /// Another name, unless it has succeeded or runs; nil keeps it.
        package var name: String?

        package init(id: TransferID, headers: [HeaderField]? = nil, name: String? = nil) {
            self.id = id
            self.headers = headers
            self.name = name
        }

        /// What is changed about it; nil is nothing.
        package var change: TransferChange? {
            guard headers != nil || name != nil else { return nil }
            var change = TransferChange()
            change.headers = headers
            change.name = name
            return change
        }
    }

    /// What became of a batch.
    package struct Report: Hashable, Sendable {
        /// One for each item, in their order.
        package var results: [Result]
        /// Number of the latest durable event when the batch was stored.
        package var lastEvent: Int64
        /// Those that were to go on and are not there, or go on without the change that was asked for; nil if there are none.
        package var failures: [ActionResult]?

        package init(results: [Result], lastEvent: Int64, failures: [ActionResult]? = nil) {
            self.results = results
            self.lastEvent = lastEvent
            self.failures = failures
        }
    }

    /// What became of one item.
    package struct Result: Hashable, Sendable {
        /// The stored transfer; nil if it was refused.
        package var id: TransferID?
        package var error: TransferError?

        package init(id: TransferID? = nil, error: TransferError? = nil) {
            self.id = id
            self.error = error
        }
    }
}
