package import FerryCore

/// A batch after the checks that need no disk access.
package struct AdmittedBatch: Sendable {
    /// The own values of an accepted item, as they are to be stored. All other values come from its template.
    package struct Item: Sendable {
        package let template: Int
        package let url: String
        package let origin: String
        package let credentials: Credentials?
        package var folder: String
        package var name: String?
        /// The item's own note data.
        package let data: String?
    }

    /// Values shared by many items, as they are to be stored. Each item's own values are left out.
    package private(set) var templates: [Result<TransferRequest, ServiceError>]
    package private(set) var items: [Result<Item, ServiceError>] = []
    /// Templates with at least one `https` item.
    private var secure: Set<Int> = []

    @concurrent
    package init(_ batch: [TransferBatch.Item], of given: [TransferRequest]) async {
        templates = given.map(Self.admit)
        let shared = templates.map(Template.init)
        items.reserveCapacity(batch.count)
        var reader = HTTPURLReader()
        for item in batch {
            do throws(ServiceError) {
                let admitted = try admit(item, shared, &reader)
                if admitted.origin.hasPrefix("https:") { secure.insert(admitted.template) }
                items.append(.success(admitted))
            } catch {
                items.append(.failure(error))
            }
        }
        refuseSharedFiles()
    }

    /// Refuses the items of templates where several items would continue the same file, or one without a name.
    private mutating func refuseSharedFiles() {
        for (place, template) in templates.enumerated() {
            guard let file = (try? template.get())?.file, file.continues != nil else { continue }
            let items = accepted.filter { $0.template == place }
            if items.count > 1 {
                refuse(place, ServiceError(.invalidRequest, "Only one transfer can continue a file."))
            } else if !file.spooled, items.contains(where: { $0.name == nil }) {
                refuse(place, PartialSource.refusal)
            }
        }
    }

    /// The accepted items.
    package var accepted: [Item] { items.compactMap { try? $0.get() } }

    /// Returns an item's template. Its URL, folder, name and note data are placeholders.
    ///
    /// - Throws: The template's error. None of its items is accepted then.
    package func template(_ place: Int) throws(ServiceError) -> TransferRequest {
        guard templates.indices.contains(place) else {
            throw ServiceError(.invalidRequest, "There is no template \(place).")
        }
        return try templates[place].get()
    }

    /// Returns the complete request of an item.
    package func request(_ item: Item) throws(ServiceError) -> TransferRequest {
        var request = try template(item.template)
        request.url = item.url
        request.file.folder = item.folder
        request.file.name = item.name
        if let data = item.data { request.note?.data = data }
        return request
    }

    /// Whether an item of a template, or a mirror, uses TLS and so needs the template's trust settings.
    package func needsTrust(_ place: Int) -> Bool {
        let mirrors = (try? template(place).mirrors) ?? []
        return secure.contains(place) || mirrors.contains { $0.hasPrefix("https:") }
    }

    /// Whether any template keeps its files in the service's spool folder.
    package var hasSpooled: Bool { templates.contains { (try? $0.get())?.file.spooled == true } }

    /// Sets the spool folder as the folder of all spooled items.
    package mutating func setFolder(_ folder: String) {
        let spooled = templates.map { (try? $0.get())?.file.spooled == true }
        for (place, item) in items.enumerated() {
            guard case .success(var item) = item, spooled[item.template] else { continue }
            item.folder = folder
            items[place] = .success(item)
        }
    }

    /// Refuses a template and all its items.
    package mutating func refuse(_ place: Int, _ error: ServiceError) {
        templates[place] = .failure(error)
        items = items.map { item in item.flatMap { $0.template == place ? .failure(error) : .success($0) } }
    }

    /// Sets the request body, with the upload file's attributes.
    package mutating func setBody(_ body: RequestBody, of place: Int) {
        templates[place] = templates[place].map { request in
            var request = request
            request.body = body
            return request
        }
    }

    /// Makes the transfers of these sessions discretionary. Their apps were launched for background events.
    package mutating func setDiscretionary(_ sessions: Set<SessionID>) {
        templates = templates.map { template in
            template.map { request in
                guard sessions.contains(request.session) else { return request }
                var request = request
                request.transport.network.isDiscretionary = true
                return request
            }
        }
    }

    /// Checks everything but the URL, which differs per item.
    package static func admit(_ template: TransferRequest) -> Result<TransferRequest, ServiceError> {
        var request = template
        request.url = "http://localhost/"
        request.file.name = nil
        do throws(ServiceError) {
            return .success(try TransferAdmission.admit(request).request)
        } catch {
            return .failure(error)
        }
    }

    /// The template values that checking an item needs. Copying a whole request per item would be expensive.
    private struct Template {
        package let folder: Result<String, ServiceError>
        package let hasMirrors: Bool
        package let hasNote: Bool

        package init(_ template: Result<TransferRequest, ServiceError>) {
            folder = template.map(\.file.folder)
            let request = try? template.get()
            hasMirrors = request?.mirrors.isEmpty == false
            hasNote = request?.note != nil
        }
    }

    /// Largest size of an item's data that needs no second check, in bytes.
    private static let smallData = 1 << 16

    private func admit(
        _ item: TransferBatch.Item, _ templates: [Template], _ reader: inout HTTPURLReader
    ) throws(ServiceError) -> Item {
        guard templates.indices.contains(item.template) else {
            throw ServiceError(.invalidRequest, "There is no template \(item.template).")
        }
        let template = templates[item.template]
        let folder = try template.folder.get()
        let url = try reader.read(ArraySlice(item.url.utf8))
        if let name = item.name { try CallerPath.check(name) }
        var admitted = Item(
            template: item.template, url: String(decoding: url.bytes, as: UTF8.self), origin: url.origin,
            credentials: url.credentials, folder: item.folder ?? folder, name: item.name,
            data: template.hasNote ? item.data : nil)
        let hasLargeData = item.data.map { $0.utf8.count > Self.smallData } ?? false
        if item.folder != nil || hasLargeData || template.hasMirrors {
            admitted.folder = try TransferAdmission.admit(request(admitted)).request.file.folder
        }
        return admitted
    }
}
