/// A batch as JSON.
extension TransferBatch {
    /// The JSON form of a batch's items: one array per property, since an object per item costs several times as much
    /// to parse.
    package struct Columns: Hashable, Sendable {
        private var url: [String] = []
        /// Absent if all items use the first template.
        private var template: [Int]?
        // Absent if no item has a value.
        private var folder: [String?]?
        private var name: [String?]?
        private var data: [String?]?

        package init(_ items: [Item]) {
            url = items.map(\.url)
            if items.contains(where: { $0.template != 0 }) { template = items.map(\.template) }
            if items.contains(where: { $0.folder != nil }) { folder = items.map(\.folder) }
            if items.contains(where: { $0.name != nil }) { name = items.map(\.name) }
            if items.contains(where: { $0.data != nil }) { data = items.map(\.data) }
        }

        /// - Throws: ``ServiceError`` with code `invalid_request` if the arrays differ in length.
        package func items() throws(ServiceError) -> [Item] {
            for count in [template?.count, folder?.count, name?.count, data?.count] {
                guard let count, count != url.count else { continue }
                throw ServiceError(
                    .invalidRequest, "A list of the items has \(count) values, and there are \(url.count) URLs.")
            }
            return url.indices.map { index in
                Item(
                    template: template?[index] ?? 0, url: url[index], folder: folder?[index], name: name?[index],
                    data: data?[index])
            }
        }
    }
}

extension TransferBatch.Columns: Codable {
    package enum CodingKeys: String, CodingKey, CaseIterable { case url, template, folder, name, data }

    package init(from decoder: any Decoder) throws {
        let box = try decoder.container(keyedBy: CodingKeys.self)
        func texts(_ key: CodingKeys) throws -> [String?]? {
            // An array without nulls decodes faster as non-optional.
            if let all = try? box.decodeIfPresent([String].self, forKey: key) { return all }
            return try box.decodeIfPresent([String?].self, forKey: key)
        }
        url = try box.decode([String].self, forKey: .url)
        template = try box.decodeIfPresent([Int].self, forKey: .template)
        folder = try texts(.folder)
        name = try texts(.name)
        data = try texts(.data)
    }

    package func encode(to encoder: any Encoder) throws {
        var box = encoder.container(keyedBy: CodingKeys.self)
        func put(_ texts: [String?]?, _ key: CodingKeys) throws {
            guard let texts else { return }
            let all = texts.compactMap(\.self)
            if all.count == texts.count { try box.encode(all, forKey: key) } else { try box.encode(texts, forKey: key) }
        }
        try box.encode(url, forKey: .url)
        try box.encodeIfPresent(template, forKey: .template)
        try put(folder, .folder)
        try put(name, .name)
        try put(data, .data)
    }
}

extension TransferBatch: Codable {
    private enum CodingKeys: String, CodingKey { case templates, items, starts }

    package init(from decoder: any Decoder) throws {
        let box = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            templates: try box.decode([TransferRequest].self, forKey: .templates),
            items: try box.decode(Columns.self, forKey: .items).items(),
            starts: try box.decodeIfPresent([Start].self, forKey: .starts))
    }

    package func encode(to encoder: any Encoder) throws {
        var box = encoder.container(keyedBy: CodingKeys.self)
        try box.encode(templates, forKey: .templates)
        try box.encode(Columns(items.each), forKey: .items)
        try box.encodeIfPresent(starts, forKey: .starts)
    }
}
