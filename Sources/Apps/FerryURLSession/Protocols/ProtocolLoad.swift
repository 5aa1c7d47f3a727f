import FerryCore
import Foundation
import FoundationNetworking

/// The load of a task by the app's own protocol class, for the task's metrics and the session's cache.
struct ProtocolLoad: Sendable {
    /// A response takes at most this part of the cache.
    private static let largestShare = 20

    private let request: URLRequest?
    private let cache: URLCache?
    private var dates = ProtocolDates()
    private var response: URLResponse?
    private var policy = URLCache.StoragePolicy.notAllowed
    /// The body to store, or nil if the response is not stored.
    private var body: Data?

    init(_ request: URLRequest?, _ cache: URLCache?) {
        self.request = request
        self.cache = cache
    }

    /// Records a response, which replaces an earlier one.
    mutating func received(_ response: URLResponse, _ policy: URLCache.StoragePolicy) {
        dates.responded()
        self.response = response
        self.policy = policy
        body = policy == .notAllowed || cache == nil ? nil : Data()
    }

    mutating func received(_ data: Data) {
        guard let size = body?.count, let cache else { return }
        let room = max(cache.diskCapacity, cache.memoryCapacity) / Self.largestShare
        if size + data.count > room { body = nil } else { body?.append(data) }
    }

    /// Stores the complete response if the class has allowed it and the delegate agrees.
    func keep(as relay: TaskRelay) async {
        guard let response, let body, let request, let cache else { return }
        let proposal = CachedURLResponse(response: response, data: body, userInfo: nil, storagePolicy: policy)
        guard let kept = await relay.willCache(proposal), kept.storagePolicy != .notAllowed else { return }
        cache.storeCachedResponse(kept, for: request.strippingReserved())
    }

    /// Returns the facts for the task's metrics, at the end of the load.
    mutating func facts() -> ExchangeFacts {
        dates.ended()
        return ExchangeFacts(ofProtocol: request, response, dates)
    }
}
