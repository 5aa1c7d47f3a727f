import FerryCore
import FerryEngine
import Foundation
import FoundationNetworking

/// The session's `URLCache` as one data task uses it, by the rules of RFC 9111 for a private cache
/// (docs/behaviour/url-session.md#19).
struct ResponseCache: Sendable {
    /// Where a task's response comes from.
    enum Source: Sendable {
        case server
        /// The server is asked whether this still holds.
        case confirmed(CachedURLResponse, StoredResponse)
        case cache(CachedURLResponse)
        /// The cache alone was to be asked, and has nothing.
        case none
    }

    /// What of the cache's room one response may take (`urlSession(_:dataTask:willCacheResponse:)`).
    private static let largestShare = 20
    /// What the cache keeps beside a response; Foundation's types have no place for it.
    private static let received = "Ferry.received"
    private static let selecting = "Ferry.selecting"

    private let cache: URLCache?
    private let request: URLRequest
    private let asked: [HeaderField]
    private let policy: URLRequest.CachePolicy

    init(_ request: URLRequest, _ configuration: URLSessionConfiguration) {
        cache = configuration.kind == .background ? nil : configuration.urlCache
        self.request = request
        asked = RequestFieldMapping.fields(request, configuration, acceptsEncodings: true)
        policy = RequestFieldMapping.cachePolicy(request, configuration)
    }

    private var method: String { request.httpMethod ?? "GET" }

    // MARK: Before the request

    func source(at now: Date) -> Source {
        guard let (kept, response) = found else {
            return policy == .returnCacheDataDontLoad ? .none : .server
        }
        switch policy {
        case .returnCacheDataElseLoad, .returnCacheDataDontLoad: return .cache(kept)
        case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData: return .server
        case .useProtocolCachePolicy where response.isFresh(for: asked, at: now): return .cache(kept)
        default:
            return response.conditions.isEmpty ? .server : .confirmed(kept, response)
        }
    }

    /// What the cache has for the request, if that answers it.
    private var found: (CachedURLResponse, StoredResponse)? {
        guard method == "GET", !StoredResponse.isConditional(asked), let kept = cache?.cachedResponse(for: request),
            let response = kept.response as? HTTPURLResponse,
            // swift-corelibs-foundation 6.3 finds a response by host and path alone.
            response.url?.withoutFragment == request.url?.withoutFragment
        else { return nil }
        let info = kept.userInfo ?? [:]
        let selecting = info[Self.selecting] as? [String: String] ?? [:]
        let stored = StoredResponse(
            status: response.statusCode, fields: Self.fields(response),
            // What an app has put there itself is as old as it says.
            received: info[Self.received] as? Date ?? .distantPast,
            selecting: selecting.map { HeaderField(name: $0.key, value: $0.value) })
        return stored.matches(asked) ? (kept, stored) : nil
    }

    // MARK: After it

    /// The most bytes of a body that is kept; nil if the response may not be kept.
    func room(for response: HTTPURLResponse) -> Int? {
        guard let cache, stored(response, at: .distantPast) != nil else { return nil }
        let room = max(cache.diskCapacity, cache.memoryCapacity) / Self.largestShare
        return response.expectedContentLength <= Int64(room) ? room : nil
    }

    /// What is to be kept of a response that came now; nil if it may not be kept.
    func proposal(_ response: HTTPURLResponse, _ body: Data, at now: Date) -> CachedURLResponse? {
        guard let stored = stored(response, at: now) else { return nil }
        return Self.kept(stored, of: response, body)
    }

    /// What the cache has, after the server has confirmed it.
    func refreshed(
        _ kept: CachedURLResponse, _ stored: StoredResponse, by fields: [HeaderField], at now: Date
    ) -> CachedURLResponse {
        guard let response = kept.response as? HTTPURLResponse else { return kept }
        let new = Self.kept(stored.refreshed(by: fields, at: now), of: response, kept.data)
        keep(new)
        return new
    }

    func keep(_ response: CachedURLResponse) { cache?.storeCachedResponse(response, for: request) }

    /// Lets go of what the cache has of a URL to which something else was done.
    func invalidate(status: Int) {
        guard StoredResponse.isInvalidated(by: method, status: status), let url = request.url else { return }
        cache?.removeCachedResponse(for: URLRequest(url: url))
    }

    // MARK: -

    private func stored(_ response: HTTPURLResponse, at now: Date) -> StoredResponse? {
        // A response to another URL, after redirects, is not the request's own.
        guard response.url?.withoutFragment == request.url?.withoutFragment else { return nil }
        return StoredResponse(
            method: method, asked: asked, status: response.statusCode, fields: Self.fields(response), received: now)
    }

    private static func kept(
        _ stored: StoredResponse, of response: HTTPURLResponse, _ body: Data
    ) -> CachedURLResponse {
        let fields = Dictionary(stored.fields.map { ($0.name, $0.value) }) { "\($0), \($1)" }
        // Foundation's own class, which it can write to its files and read.
        let plain = response.url.flatMap {
            HTTPURLResponse(url: $0, statusCode: stored.status, httpVersion: "HTTP/1.1", headerFields: fields)
        }
        let selecting = Dictionary(stored.selecting.map { ($0.name, $0.value) }) { "\($0), \($1)" }
        return CachedURLResponse(
            response: plain ?? response, data: body,
            userInfo: [Self.received: stored.received, Self.selecting: selecting], storagePolicy: .allowed)
    }

    private static func fields(_ response: HTTPURLResponse) -> [HeaderField] {
        response.allHeaderFields.compactMap { key, value in
            (key.base as? String).map { HeaderField(name: $0, value: value as? String ?? "\(value)") }
        }
    }
}

extension URL {
    /// The URL without the part that is never sent.
    fileprivate var withoutFragment: Substring { absoluteString.prefix { $0 != "#" } }
}
