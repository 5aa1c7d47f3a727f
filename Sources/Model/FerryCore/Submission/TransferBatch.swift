/// Requests submitted together, in one transaction.
package struct TransferBatch: Hashable, Sendable {
    /// Properties shared by many items. URL, name and note data are replaced by the item's.
    package var templates: [TransferRequest]
    package var items: Items
    /// Existing transfers of the session to start in the same transaction.
    package var starts: [Start]?

    package init(templates: [TransferRequest], items: [Item], starts: [Start]? = nil) {
        self.templates = templates
        self.items = .each(items)
        self.starts = starts
    }

    /// A large number of requests that differ only in their URLs.
    ///
    /// - Parameter template: The shared properties. No name, note, mirrors or body, and not spooled.
    package init(template: TransferRequest, urls: URLLines) {
        templates = [template]
        items = .lines(urls)
        starts = nil
    }

    /// Individual requests. Adjacent ones that differ only in item properties share a template.
    package init(_ requests: [TransferRequest]) {
        templates = []
        starts = nil
        var items: [Item] = []
        items.reserveCapacity(requests.count)
        for request in requests {
            var template = request
            template.url = ""
            template.file.name = nil
            template.note?.data = ""
            // Only one transfer can take over a partial file.
            if templates.last != template || template.file.continues != nil { templates.append(template) }
            items.append(
                Item(
                    template: templates.count - 1, url: request.url, name: request.file.name, data: request.note?.data))
        }
        self.items = .each(items)
    }

    /// The files to fetch.
    package enum Items: Hashable, Sendable {
        case each([Item])
        /// URLs for the first template.
        case lines(URLLines)

        /// All items individually.
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

    /// One file to fetch.
    package struct Item: Hashable, Sendable {
        package var template: Int
        package var url: String
        /// Replaces the template's folder, unless nil.
        package var folder: String?
        package var name: String?
        /// The data of the item's note. The other properties of the note are the template's.
        package var data: String?

        package init(template: Int, url: String, folder: String? = nil, name: String? = nil, data: String? = nil) {
            self.template = template
            self.url = url
            self.folder = folder
            self.name = name
            self.data = data
        }
    }

    /// A transfer to start, with an optional change.
    package struct Start: Hashable, Codable, Sendable {
        package var id: TransferID
        /// New header fields, or nil to keep them.
        package var headers: [HeaderField]?
        /// A new name, unless it has succeeded or is running, or nil to keep it.
        package var name: String?

        package init(id: TransferID, headers: [HeaderField]? = nil, name: String? = nil) {
            self.id = id
            self.headers = headers
            self.name = name
        }

        package enum CodingKeys: String, CodingKey, CaseIterable { case id, headers, name }

        /// The change, or nil for none.
        package var change: TransferChange? {
            guard headers != nil || name != nil else { return nil }
            var change = TransferChange()
            change.headers = headers
            change.name = name
            return change
        }
    }
}
