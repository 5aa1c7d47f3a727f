import FerryCore

/// A batch whose items were checked without a look at the disk.
struct AdmittedBatch: Sendable {
    /// An item that may be stored: what is its own, as it is to be stored. All else is its template's.
    struct Item: Sendable {
        let template: Int
        let url: String
        let origin: String
        let credentials: Credentials?
        var folder: String
        var name: String?
        /// The note's data that the item gives.
        let data: String?
    }

    /// What is the same for many, as it is to be stored but for what is each item's own.
    private(set) var templates: [Result<TransferRequest, ServiceError>]
    private(set) var items: [Result<Item, ServiceError>] = []
    /// Templates of which an item is asked for over TLS.
    private var secure: Set<Int> = []

    @concurrent
    init(_ batch: [TransferBatch.Item], of given: [TransferRequest]) async {
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

    /// Refuses items of which several would go on with one file.
    private mutating func refuseSharedFiles() {
        for (place, template) in templates.enumerated() {
            guard (try? template.get())?.continues != nil, accepted.count(where: { $0.template == place }) > 1 else {
                continue
            }
            refuse(place, ServiceError(.invalidRequest, "Only one transfer goes on with a file."))
        }
    }

    /// The items that may be stored.
    var accepted: [Item] { items.compactMap { try? $0.get() } }

    /// The template of an item; its URL, folder, name and note's data count for nothing.
    ///
    /// - Throws: what is wrong with it; then no item of it is accepted.
    func template(_ place: Int) throws(ServiceError) -> TransferRequest {
        guard templates.indices.contains(place) else {
            throw ServiceError(.invalidRequest, "There is no template \(place).")
        }
        return try templates[place].get()
    }

    /// The whole request of an item.
    func request(_ item: Item) throws(ServiceError) -> TransferRequest {
        var request = try template(item.template)
        request.url = item.url
        request.folder = item.folder
        request.name = item.name
        if let data = item.data { request.note?.data = data }
        return request
    }

    /// Whether a URL of a template's items, or a mirror of theirs, needs what the template trusts.
    func needsTrust(_ place: Int) -> Bool {
        let mirrors = (try? template(place).mirrors) ?? []
        return secure.contains(place) || mirrors.contains { $0.hasPrefix("https:") }
    }

    /// Whether any file stays in the service's own folder.
    var hasSpooled: Bool { templates.contains { (try? $0.get())?.spooled == true } }

    /// Makes the spool the folder of all items that stay there.
    mutating func setFolder(_ folder: String) {
        let spooled = templates.map { (try? $0.get())?.spooled == true }
        for (place, item) in items.enumerated() {
            guard case .success(var item) = item, spooled[item.template] else { continue }
            item.folder = folder
            items[place] = .success(item)
        }
    }

    /// Refuses a template, and all items of it.
    mutating func refuse(_ place: Int, _ error: ServiceError) {
        templates[place] = .failure(error)
        items = items.map { item in item.flatMap { $0.template == place ? .failure(error) : .success($0) } }
    }

    /// Notes how the file of an upload looks.
    mutating func setBody(_ body: RequestBody, of place: Int) {
        templates[place] = templates[place].map { request in
            var request = request
            request.body = body
            return request
        }
    }

    /// Makes the transfers of some sessions discretionary: the apps of these sessions were launched for events.
    mutating func setDiscretionary(_ sessions: Set<SessionID>) {
        templates = templates.map { template in
            template.map { request in
                guard sessions.contains(request.session) else { return request }
                var request = request
                request.network.isDiscretionary = true
                return request
            }
        }
    }

    /// Checks all but the URL, which is each item's own.
    static func admit(_ template: TransferRequest) -> Result<TransferRequest, ServiceError> {
        var request = template
        request.url = "http://localhost/"
        request.name = nil
        do throws(ServiceError) {
            return .success(try TransferAdmission.admit(request).request)
        } catch {
            return .failure(error)
        }
    }

    /// What items need to know of a template: a whole request is much to hand around for each of them.
    private struct Template {
        let folder: Result<String, ServiceError>
        let hasMirrors: Bool
        let hasNote: Bool

        init(_ template: Result<TransferRequest, ServiceError>) {
            folder = template.map(\.folder)
            let request = try? template.get()
            hasMirrors = request?.mirrors.isEmpty == false
            hasNote = request?.note != nil
        }
    }

    /// The most bytes of data that need no second look.
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
            admitted.folder = try TransferAdmission.admit(request(admitted)).request.folder
        }
        return admitted
    }
}
