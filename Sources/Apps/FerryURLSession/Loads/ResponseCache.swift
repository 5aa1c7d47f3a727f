import FerryCore
import FerryRules
import Foundation
import FoundationNetworking
import Synchronization

/// A data task's view of the session's `URLCache`, by the rules of RFC 9111 for a private cache
/// (docs/behaviour/url-session.md#19).
struct ResponseCache: Sendable {
    /// The source of a task's response.
    enum Source: Sendable {
        case server
        /// The cached response, after validation with the server.
        case confirmed(KeptResponse, StoredResponse)
        case cache(CachedURLResponse)
        /// No source: the request allows only the cache, which has no response.
        case none
    }

    /// A response may take at most one part in this many of the cache's capacity
    /// (`urlSession(_:dataTask:willCacheResponse:)`).
    private static let largestShare = 20

    private let cache: URLCache?
    private let task: URLSessionDataTask?
    private let request: URLRequest
    private let asked: [HeaderField]
    private let policy: URLRequest.CachePolicy

    init(_ task: URLSessionTask, _ request: URLRequest, _ configuration: URLSessionConfiguration) {
        cache = configuration.kind == .background ? nil : configuration.urlCache
        self.task = task as? URLSessionDataTask
        self.request = request
        asked = RequestFieldMapping.fields(request, configuration, acceptsEncodings: true)
        policy = RequestFieldMapping.cachePolicy(request, configuration)
    }

    private var method: String { request.httpMethod ?? "GET" }

    // MARK: Before the request

    func source(at now: Date) async -> Source {
        guard let (kept, response) = await found(at: now) else {
            return policy == .returnCacheDataDontLoad ? .none : .server
        }
        switch policy {
        case .returnCacheDataElseLoad, .returnCacheDataDontLoad: return .cache(kept)
        case .useProtocolCachePolicy where response.isFresh(for: asked, at: now): return .cache(kept)
        default:
            return response.conditions.isEmpty ? .server : .confirmed(kept, response)
        }
    }

    /// Returns the cached response if it matches the request and the policy allows its use.
    private func found(at now: Date) async -> (KeptResponse, StoredResponse)? {
        let isIgnored = [.reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData].contains(policy)
        guard let cache, let task, !isIgnored, method == "GET", !StoredResponse.isConditional(asked) else { return nil }
        let answer = CacheAnswer()
        let found = await withTaskCancellationHandler {
            await withCheckedContinuation { done in
                answer.wait(done)
                // Read the disk outside the concurrency pool, since it blocks.
                DispatchQueue.global().async { cache.getCachedResponse(for: task) { answer.give($0) } }
            }
        } onCancel: {
            answer.give(nil)
        }
        guard let found else { return nil }
        // The app's own cache subclass does not record when it received a response. Only the response's `Date` is
        // known.
        let kept = found as? KeptResponse ?? KeptResponse(found, stored: now, selecting: asked)
        return kept.rules.flatMap { $0.matches(asked) ? (kept, $0) : nil }
    }

    // MARK: After the request

    /// Returns the maximum body size in bytes for storing the response; nil if it may not be stored.
    func room(for response: HTTPURLResponse) -> Int? {
        guard let cache, stored(response, at: .distantPast) != nil else { return nil }
        let room = max(cache.diskCapacity, cache.memoryCapacity) / Self.largestShare
        return response.expectedContentLength <= Int64(room) ? room : nil
    }

    /// Returns the cache entry to offer the delegate for a response; nil if it may not be stored.
    ///
    /// - Parameter received: The date when the response's head was received.
    func proposal(_ response: HTTPURLResponse, _ body: Data, received: Date) -> CachedURLResponse? {
        stored(response, at: received).map { Self.kept($0, of: response, body) }
    }

    /// Returns the cached response, updated by a successful validation.
    func refreshed(
        _ kept: KeptResponse, _ stored: StoredResponse, by fields: [HeaderField], at now: Date
    ) async -> CachedURLResponse {
        guard let response = kept.response as? HTTPURLResponse else { return kept }
        let refreshed = stored.refreshed(by: fields, at: now)
        let new = Self.kept(refreshed, of: response, kept.data, kept.storagePolicy, kept.userInfo)
        if CacheControl(refreshed.fields).has("no-store") {
            await change { cache, task in cache.removeCachedResponse(for: task) }
        } else {
            await keep(new)
        }
        return new
    }

    func keep(_ response: CachedURLResponse) async {
        var own = request
        own.allHTTPHeaderFields = Dictionary(asked.map { ($0.name, $0.value) }) { first, _ in first }
        await change { [own] cache, task in
            // A redirect that has led back to this URL may have changed the task's current request.
            if task.currentRequest?.url == own.url {
                cache.storeCachedResponse(response, for: task)
            } else {
                cache.storeCachedResponse(response, for: own)
            }
        }
    }

    /// Removes the cached response for the URL of a request that may have changed the resource (RFC 9111 §4.4).
    func invalidate(status: Int) async {
        guard StoredResponse.isInvalidated(by: method, status: status), let url = request.url else { return }
        await change { cache, _ in cache.removeCachedResponse(for: URLRequest(url: url)) }
    }

    /// Changes the cache. The disk is accessed outside the concurrency pool, since it blocks.
    private func change(_ body: @escaping @Sendable (URLCache, URLSessionDataTask) -> Void) async {
        guard let cache, let task else { return }
        await withCheckedContinuation { done in
            DispatchQueue.global().async {
                body(cache, task)
                done.resume()
            }
        }
    }

    /// Whether a response belongs to the request's own URL, and not to a redirect's target.
    func isOwn(_ head: ResponseHead) -> Bool {
        guard let url = request.url?.withoutFragment else { return false }
        return head.url.prefix { $0 != "#" } == url
    }

    // MARK: -

    private func stored(_ response: HTTPURLResponse, at received: Date) -> StoredResponse? {
        // After redirects to another URL, the response is not the one to the request.
        guard task != nil, response.url?.withoutFragment == request.url?.withoutFragment else { return nil }
        return StoredResponse(
            method: method, asked: asked, status: response.statusCode, fields: CacheRequest.fields(of: response),
            received: received)
    }

    private static func kept(
        _ stored: StoredResponse, of response: HTTPURLResponse, _ body: Data,
        _ policy: URLCache.StoragePolicy = .allowed, _ userInfo: [AnyHashable: Any]? = nil
    ) -> KeptResponse {
        let fields = Dictionary(stored.fields.map { ($0.name, $0.value) }) { "\($0), \($1)" }
        let plain = response.url.flatMap {
            HTTPURLResponse(url: $0, statusCode: stored.status, httpVersion: "HTTP/1.1", headerFields: fields)
        }
        let cached = CachedURLResponse(
            response: plain ?? response, data: body, userInfo: userInfo, storagePolicy: policy)
        return KeptResponse(cached, stored: stored.received, selecting: stored.selecting)
    }
}

/// The result of a cache lookup. An app's own cache may call back several times, in which case the first result counts,
/// or never.
private final class CacheAnswer: Sendable {
    private struct State {
        var waiting: CheckedContinuation<CachedURLResponse?, Never>?
        var isGiven = false
    }

    private let state = Mutex(State())

    func wait(_ continuation: CheckedContinuation<CachedURLResponse?, Never>) {
        let isGiven = state.withLock { state in
            if !state.isGiven { state.waiting = continuation }
            return state.isGiven
        }
        // The task was canceled before.
        if isGiven { continuation.resume(returning: nil) }
    }

    func give(_ response: CachedURLResponse?) {
        let waiting = state.withLock { state in
            state.isGiven = true
            return state.waiting.take()
        }
        waiting?.resume(returning: response)
    }
}

extension URL {
    /// The URL without its fragment, which is never sent.
    fileprivate var withoutFragment: Substring { absoluteString.prefix { $0 != "#" } }
}
