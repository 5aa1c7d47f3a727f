import FerryCore
import FerryTesting
import Foundation
import FoundationNetworking
import Synchronization
import Testing

@testable import FerryURLSession

@Suite(.timeLimit(.minutes(1))) struct `A session's cache` {
    private let body = SeededBody(seed: 86, size: 20_000)
    private let fresh = OriginMode.field("Cache-Control", "max-age=3600")

    private func configuration(
        _ policy: URLRequest.CachePolicy = .useProtocolCachePolicy
    ) -> FerryURLSession.URLSessionConfiguration {
        let configuration = FerryURLSession.URLSessionConfiguration.ephemeral
        configuration.urlCache = FerryURLSession.URLCache(memoryCapacity: 8 << 20, diskCapacity: 0, diskPath: nil)
        configuration.requestCachePolicy = policy
        return configuration
    }

    /// Runs tasks in sequence and checks their bodies. Returns the number of requests at the origin.
    private func bodies(
        _ bed: LoadBed, _ count: Int, _ change: (inout URLRequest, Int) -> Void = { _, _ in }
    ) async throws -> Int {
        for number in 1...count {
            let task = bed.started({ change(&$0, number) })
            let story = try await bed.witness.end(of: task)
            #expect(story.error == nil && story.data.elementsEqual(body.bytes))
            #expect((task.response as? HTTPURLResponse)?.statusCode == 200)
        }
        return bed.origin.requests.count
    }

    @Test func `19 a fresh response is returned without the server, also where no network may be used`() async throws {
        try await withLoads(OriginScript(body, always: fresh), configuration()) { bed in
            let first = try await bodies(bed, 1)
            bed.conditions.set(.network)
            let all = try await bodies(bed, 2)
            #expect(first == 1 && all == 1)
        }
    }

    @Test func `19 a stale response is revalidated, and then fresh again`() async throws {
        let script = OriginScript(
            body, .on(.request(1), .field("Cache-Control", "max-age=0")), .on(.request(2), fresh))
        try await withLoads(script, configuration()) { bed in
            let count = try await bodies(bed, 3)
            #expect(count == 2)
            let asked = bed.origin.requests.last
            #expect(asked?.value("If-None-Match") == OriginResource.etag(of: body))
            #expect(asked?.value("If-Modified-Since") != nil)
        }
    }

    @Test func `19 another version takes the place of a stale one`() async throws {
        let other = SeededBody(seed: 87, size: 30_000)
        let script = OriginScript(
            body, .on(.request(1), .field("Cache-Control", "no-cache")), .on(.request(2), .version(other), fresh))
        try await withLoads(script, configuration()) { bed in
            _ = try await bodies(bed, 1)
            for _ in 1...2 {
                let story = try await bed.witness.end(of: bed.started())
                #expect(story.data.elementsEqual(other.bytes))
            }
            #expect(bed.origin.requests.count == 2)
        }
    }

    @Test(
        arguments: [
            (.useProtocolCachePolicy, 1), (.reloadIgnoringLocalCacheData, 3),
            (.reloadIgnoringLocalAndRemoteCacheData, 3), (.returnCacheDataElseLoad, 1),
            (.reloadRevalidatingCacheData, 3),
        ] as [(URLRequest.CachePolicy, Int)])
    func `19 the session's policy says whether the server is asked`(policy: URLRequest.CachePolicy, count: Int)
        async throws
    {
        try await withLoads(OriginScript(body, always: fresh), configuration(policy)) { bed in
            let asked = try await bodies(bed, 3)
            #expect(asked == count)
        }
    }

    @Test func `19 the cache alone is asked where a request says so`() async throws {
        let stale = OriginMode.field("Cache-Control", "max-age=0")
        try await withLoads(OriginScript(body, always: stale), configuration()) { bed in
            let empty = try await bed.witness.end(of: bed.started { $0.cachePolicy = .returnCacheDataDontLoad })
            #expect(empty.error?.code == .resourceUnavailable && bed.origin.requests.isEmpty)
            _ = try await bodies(bed, 1)
            let count = try await bodies(bed, 1) { request, _ in request.cachePolicy = .returnCacheDataDontLoad }
            #expect(count == 1)
        }
    }

    @Test func `19 a query and the fields that Vary names tell responses apart`() async throws {
        let script = OriginScript(body, always: fresh, .field("Vary", "Accept-Language"))
        try await withLoads(script, configuration()) { bed in
            let languages = try await bodies(bed, 4) { request, number in
                request.setValue(number < 3 ? "de" : "en", forHTTPHeaderField: "Accept-Language")
            }
            #expect(languages == 2)
            let queries = try await bodies(bed, 2) { request, number in
                request.url = request.url.flatMap { URL(string: $0.absoluteString + "?page=\(number)") }
                request.setValue("en", forHTTPHeaderField: "Accept-Language")
            }
            #expect(queries == 4)
        }
    }

    @Test(
        arguments: [
            [.field("Cache-Control", "no-store")], [.field("Vary", "*")], [.status(500, body: "x")],
            // More than a twentieth of the cache's capacity.
            [.version(SeededBody(seed: 88, size: 500_000)), .field("Cache-Control", "max-age=9")],
            [.version(SeededBody(seed: 88, size: 500_000)), .field("Cache-Control", "max-age=9"), .chunked],
        ] as [[OriginMode]])
    func `19 a response that may not be stored is fetched again`(modes: [OriginMode]) async throws {
        let script = OriginScript(body, rules: [OriginRule(condition: .always, modes: modes)])
        try await withLoads(script, configuration()) { bed in
            for _ in 1...2 { _ = try await bed.witness.end(of: bed.started()) }
            #expect(bed.origin.requests.count == 2)
            #expect(bed.origin.requests.allSatisfy { $0.value("If-None-Match") == nil })
        }
    }

    @Test func `19 a 304 for the target of a redirect revalidates nothing`() async throws {
        let script = OriginScript(
            body, .on(.request(1), .field("Cache-Control", "max-age=0")), .on(.request(2), .redirect(to: "/other")))
        let configuration = configuration()
        try await withLoads(script, configuration) { bed in
            let count = try await bodies(bed, 2)
            // The second task's request is conditional, the request after its redirect is not.
            #expect(count == 4 && bed.origin.requests[2].value("If-None-Match") != nil)
            #expect(bed.origin.requests[3].value("If-None-Match") == nil)
            let other = try #require(URL(string: bed.origin.url("/other")))
            #expect(configuration.urlCache?.cachedResponse(for: URLRequest(url: other)) == nil)
        }
    }

    @Test func `19 a response that the delegate allows in memory only stays there when it is revalidated`() async throws
    {
        try await withTemporaryFolder { folder in
            try await withOrigin(OriginScript(body, always: .field("Cache-Control", "max-age=0"))) { origin in
                let keeper = Keeper(policy: .allowedInMemoryOnly)
                let configuration = configuration()
                let cache = FerryURLSession.URLCache(
                    memoryCapacity: 8 << 20, diskCapacity: 8 << 20,
                    directory: URL(fileURLWithPath: folder.path, isDirectory: true))
                configuration.urlCache = cache
                let session = FerryURLSession.URLSession(
                    configuration: configuration, delegate: keeper, delegateQueue: nil)
                defer { session.invalidateAndCancel() }
                let url = try #require(URL(string: origin.url()))
                for number in 1...2 {
                    session.dataTask(with: url).resume()
                    try await eventually("the task's metrics are told") { keeper.fetchTypes.count == number }
                }
                #expect(origin.requests.last?.value("If-None-Match") != nil)
                #expect(cache.currentDiskUsage == 0 && cache.currentMemoryUsage > 20_000)
            }
        }
    }

    @Test func `19 the delegate decides what is stored`() async throws {
        for keeps in [true, false] {
            try await withOrigin(OriginScript(body, always: fresh)) { origin in
                let keeper = Keeper(keeps: keeps)
                let session = FerryURLSession.URLSession(
                    configuration: configuration(), delegate: keeper, delegateQueue: nil)
                defer { session.invalidateAndCancel() }
                let url = try #require(URL(string: origin.url()))
                for number in 1...2 {
                    session.dataTask(with: url).resume()
                    try await eventually("the task's metrics are told") { keeper.fetchTypes.count == number }
                }
                #expect(keeper.proposed == (keeps ? [20_000] : [20_000, 20_000]))
                #expect(origin.requests.count == (keeps ? 1 : 2))
                #expect(keeper.fetchTypes == (keeps ? [.networkLoad, .localCache] : [.networkLoad, .networkLoad]))
            }
        }
    }

    @Test func `19 a response of the cache that becomes a download has its file from the server`() async throws {
        let other = SeededBody(seed: 89, size: 30_000)
        let script = OriginScript(body, .always(fresh), .on(.request(2), .version(other)))
        try await withOrigin(script) { origin in
            let keeper = Keeper(downloads: true)
            let session = FerryURLSession.URLSession(
                configuration: configuration(), delegate: keeper, delegateQueue: nil)
            defer { session.invalidateAndCancel() }
            let url = try #require(URL(string: origin.url()))
            let first = session.dataTask(with: url)
            first.resume()
            try await eventually("the first task has ended") { keeper.fetchTypes == [.networkLoad] }
            session.dataTask(with: url).resume()
            try await eventually("there is a file") { keeper.files.count == 1 }
            #expect(keeper.files.first?.elementsEqual(other.bytes) == true && origin.requests.count == 2)
        }
    }

    @Test func `19 the cache can be asked by task`() async throws {
        let configuration = configuration()
        let cache = try #require(configuration.urlCache)
        try await withLoads(OriginScript(body, always: fresh), configuration) { bed in
            let task = bed.started()
            _ = try await bed.witness.end(of: task)
            let found = Mutex<[Int?]>([])
            func look() {
                cache.getCachedResponse(for: task) { kept in found.withLock { $0.append(kept?.data.count) } }
            }
            look()
            let kept = try #require(cache.cachedResponse(for: URLRequest(url: bed.url)))
            cache.removeCachedResponse(for: task)
            look()
            cache.storeCachedResponse(kept, for: task)
            look()
            #expect(found.withLock { $0 } == [20_000, nil, 20_000])
        }
    }

    @Test func `19 another method that succeeds invalidates the stored response`() async throws {
        try await withLoads(OriginScript(body, always: fresh), configuration()) { bed in
            _ = try await bodies(bed, 1)
            _ = try await bed.witness.end(of: bed.started { $0.httpMethod = "DELETE" })
            _ = try await bodies(bed, 1)
            #expect(bed.origin.requests.map(\.method) == ["GET", "DELETE", "GET"])
        }
    }

    @Test func `19 a request with its own conditions bypasses the cache`() async throws {
        try await withLoads(OriginScript(body, always: fresh), configuration()) { bed in
            _ = try await bodies(bed, 1)
            let task = bed.started { $0.setValue(OriginResource.etag(of: body), forHTTPHeaderField: "If-None-Match") }
            _ = try await bed.witness.end(of: task)
            #expect((task.response as? HTTPURLResponse)?.statusCode == 304)
        }
    }
}

/// Decides which responses are cached, and whether a response becomes a download.
private final class Keeper: NSObject, FerryURLSession.URLSessionDataDelegate,
    FerryURLSession.URLSessionDownloadDelegate, Sendable
{
    private struct State {
        var proposed: [Int] = []
        var types: [FerryURLSession.URLSessionTaskMetrics.ResourceFetchType] = []
        var files: [Data] = []
    }

    private let state = Mutex(State())
    private let keeps: Bool
    private let downloads: Bool

    private let policy: FerryURLSession.URLCache.StoragePolicy

    init(
        keeps: Bool = true, downloads: Bool = false, policy: FerryURLSession.URLCache.StoragePolicy = .allowed
    ) {
        self.keeps = keeps
        self.downloads = downloads
        self.policy = policy
    }

    var proposed: [Int] { state.withLock(\.proposed) }
    var fetchTypes: [FerryURLSession.URLSessionTaskMetrics.ResourceFetchType] { state.withLock(\.types) }
    var files: [Data] { state.withLock(\.files) }

    func urlSession(
        _ session: FerryURLSession.URLSession, dataTask: FerryURLSession.URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (FerryURLSession.URLSession.ResponseDisposition) -> Void
    ) { completionHandler(downloads && !proposed.isEmpty ? .becomeDownload : .allow) }

    func urlSession(
        _ session: FerryURLSession.URLSession, downloadTask: FerryURLSession.URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        let data = try? Data(contentsOf: location)
        state.withLock { $0.files.append(data ?? Data()) }
    }

    func urlSession(
        _ session: FerryURLSession.URLSession, dataTask: FerryURLSession.URLSessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        state.withLock { $0.proposed.append(proposedResponse.data.count) }
        let kept = CachedURLResponse(
            response: proposedResponse.response, data: proposedResponse.data, userInfo: nil, storagePolicy: policy)
        completionHandler(keeps ? kept : nil)
    }

    func urlSession(
        _ session: FerryURLSession.URLSession, task: FerryURLSession.URLSessionTask,
        didFinishCollecting metrics: FerryURLSession.URLSessionTaskMetrics
    ) {
        state.withLock { $0.types += metrics.transactionMetrics.map(\.resourceFetchType) }
    }
}
