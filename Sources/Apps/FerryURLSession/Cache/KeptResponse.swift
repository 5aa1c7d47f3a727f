import Crypto
import FerryCore
import FerryRules
import Foundation
import FoundationNetworking

/// A cached response with the metadata that a cache needs (RFC 9111 §4).
final class KeptResponse: CachedURLResponse, @unchecked Sendable {  // SAFETY: immutable
    /// The date when the response was received or last validated.
    let stored: Date
    /// The fields named by `Vary`, from the request that the response belongs to.
    let selecting: [HeaderField]

    init(_ response: CachedURLResponse, stored: Date, selecting: [HeaderField]) {
        self.stored = stored
        self.selecting = selecting
        super.init(
            response: response.response, data: response.data, userInfo: response.userInfo,
            storagePolicy: response.storagePolicy)
    }

    @available(*, unavailable) required init?(coder: NSCoder) { nil }

    /// The response in the form of the cache rules; nil for other protocols than HTTP.
    var rules: StoredResponse? {
        guard let response = response as? HTTPURLResponse else { return nil }
        return StoredResponse(
            status: response.statusCode, fields: CacheRequest.fields(of: response), received: stored,
            selecting: selecting)
    }

    /// Whether the response matches a request with these fields (RFC 9111 §4.1).
    func answers(_ asked: [HeaderField]) -> Bool { rules?.matches(asked) ?? true }
}

/// A request in a cache's terms.
struct CacheRequest: Sendable {
    /// A key of the method and of the URL without its fragment, which is never sent.
    let resource: String
    let fields: [HeaderField]

    init?(_ request: URLRequest) {
        guard let url = request.url else { return nil }
        let text = "\(request.httpMethod ?? "GET") \(url.absoluteString.prefix { $0 != "#" })"
        resource = SHA256.hash(data: Data(text.utf8)).prefix(16).hexDigits
        var fields = request.sentFields.map { HeaderField(name: $0.key, value: $0.value) }
        if !fields.contains(where: { $0.isNamed("Accept-Encoding") }) {
            fields.append(HeaderField(name: "Accept-Encoding", value: RequestFieldMapping.acceptedCodings))
        }
        self.fields = fields
    }

    /// Returns the request's fields that `Vary` of the response names.
    func selecting(for response: URLResponse) -> [HeaderField] {
        guard let response = response as? HTTPURLResponse else { return [] }
        return StoredResponse.selecting(fields, by: Self.fields(of: response))
    }

    func name(selecting: [HeaderField]) -> CacheName {
        let text = selecting.map { "\($0.name.lowercased()): \($0.value)" }.sorted().joined(separator: "\n")
        return CacheName(
            resource: resource,
            variant: text.isEmpty ? "0" : SHA256.hash(data: Data(text.utf8)).prefix(8).hexDigits)
    }

    static func fields(of response: HTTPURLResponse) -> [HeaderField] {
        response.allHeaderFields.compactMap { key, value in
            (key.base as? String).map { HeaderField(name: $0, value: value as? String ?? "\(value)") }
        }
    }
}
