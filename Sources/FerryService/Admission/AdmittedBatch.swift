// Ferry: FerryService
// A batch, item by item, as far as its own words tell.

import FerryCore

/// A batch whose items were checked without a look at the disk.
struct AdmittedBatch: Sendable {
    /// An item that may be stored.
    struct Item: Sendable {
        let template: Int
        /// As it is to be stored.
        var request: TransferRequest
        let credentials: Credentials?
        let origin: String
        /// The name that the item gives.
        let name: String?
        /// The note's data that the item gives.
        let data: String?
    }

    let session: SessionID
    /// What is the same for many, as it is to be stored but for the URL.
    let templates: [Result<TransferRequest, TransferError>]
    private(set) var items: [Result<Item, TransferError>] = []

    /// - Throws: ``TransferError`` with code `invalid_request` if the batch is not of one session.
    @concurrent
    init(_ batch: TransferBatch) async throws(TransferError) {
        guard let session = batch.templates.first?.session else {
            throw TransferError(.invalidRequest, "A batch has at least one template.")
        }
        guard batch.templates.allSatisfy({ $0.session == session }) else {
            throw TransferError(.invalidRequest, "All templates of a batch are of one session.")
        }
        self.session = session
        templates = batch.templates.map(Self.admit)
        items.reserveCapacity(batch.items.count)
        for item in batch.items {
            do throws(TransferError) {
                items.append(.success(try admit(item)))
            } catch {
                items.append(.failure(error))
            }
        }
    }

    /// The items that may be stored.
    var accepted: [Item] { items.compactMap { try? $0.get() } }

    /// Whether any file stays in the service's own folder.
    var hasSpooled: Bool { templates.contains { (try? $0.get())?.spooled == true } }

    /// Makes the spool the folder of all items that stay there.
    mutating func setFolder(_ folder: String) {
        items = items.map { item in
            item.map { item in
                var item = item
                if item.request.spooled { item.request.folder = folder }
                return item
            }
        }
    }

    /// Checks all but the URL, which is each item's own.
    static func admit(_ template: TransferRequest) -> Result<TransferRequest, TransferError> {
        var request = template
        request.url = "http://localhost/"
        request.name = nil
        guard request.continues == nil else {
            return .failure(TransferError(.invalidRequest, "A batch continues no other transfer."))
        }
        do throws(TransferError) {
            return .success(try TransferAdmission.admit(request).request)
        } catch {
            return .failure(error)
        }
    }

    /// The most bytes of data that need no second look.
    private static let smallData = 1 << 16

    private func admit(_ item: TransferBatch.Item) throws(TransferError) -> Item {
        guard templates.indices.contains(item.template) else {
            throw TransferError(.invalidRequest, "There is no template \(item.template).")
        }
        var request = try templates[item.template].get()
        let url = try HTTPURL(parsing: item.url)
        request.url = url.withoutUserinfo.string
        request.name = item.name
        if let name = item.name { try CallerPath.check(name) }
        if let folder = item.folder { request.folder = folder }
        if let data = item.data { request.note?.data = data }
        let hasLargeData = item.data.map { $0.utf8.count > Self.smallData } ?? false
        if item.folder != nil || hasLargeData || !request.mirrors.isEmpty {
            request = try TransferAdmission.admit(request).request
        }
        return Item(
            template: item.template, request: request, credentials: url.credentials, origin: url.origin.description,
            name: item.name, data: request.note == nil ? nil : item.data)
    }
}
