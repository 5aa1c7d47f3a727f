/// Requests that are submitted together, and stored in one transaction.
package struct TransferBatch: Hashable, Sendable {
    /// What is the same for many items; the URL, the name and the note's data of a template are replaced by those of its items.
    package var templates: [TransferRequest]
    package var items: Items
    /// Transfers that the session has already, which go on in the same transaction.
    package var starts: [Start]?

    package init(templates: [TransferRequest], items: [Item], starts: [Start]? = nil) {
        self.templates = templates
        self.items = .each(items)
        self.starts = starts
    }

    /// Very many requests that differ in their URLs alone.
    ///
    /// - Parameter template: what is the same for all; it has no name, note, mirrors or body, and is not spooled.
    package init(template: TransferRequest, urls: URLLines) {
        templates = [template]
        items = .lines(urls)
        starts = nil
    }

    /// Whole requests; neighbours that differ only in what items have share a template.
    package init(_ requests: [TransferRequest]) {
        templates = []
        starts = nil
        var items: [Item] = []
        items.reserveCapacity(requests.count)
        for request in requests {
            var template = request
            template.url = ""
            template.name = nil
            template.note?.data = ""
            // Only one transfer goes on with a file.
            if templates.last != template || template.continues != nil { templates.append(template) }
            items.append(
                Item(
                    template: templates.count - 1, url: request.url, name: request.name, data: request.note?.data))
        }
        self.items = .each(items)
    }

    /// The files to be fetched.
    package enum Items: Hashable, Sendable {
        case each([Item])
        /// URLs of the first template.
        case lines(URLLines)

        /// One by one, whatever holds them.
        package var each: [Item] {
            get {
                switch self {
                case .each(let items): return items
                case .lines(let urls):
                    var items: [Item] = []
                    urls.forEach { items.append(Item(template: 0, url: String(decoding: $0, as: UTF8.self))) }
                    return items
                }
            }
            set { self = .each(newValue) }
        }
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

        package enum CodingKeys: String, CodingKey, CaseIterable { case id, headers, name }

        /// What is changed about it; nil is nothing.
        package var change: TransferChange? {
            guard headers != nil || name != nil else { return nil }
            var change = TransferChange()
            change.headers = headers
            change.name = name
            return change
        }
    }
}
