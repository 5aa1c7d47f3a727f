import FerryTesting
import Foundation
import FoundationNetworking
import Synchronization
import Testing

@testable import FerryURLSession

private typealias URLCache = FerryURLSession.URLCache

@Suite struct `A cache of responses` {
    private func request(_ path: String, _ fields: [String: String] = [:]) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: "http://h.example\(path)")))
        request.allHTTPHeaderFields = fields
        return request
    }

    private func response(
        to request: URLRequest, _ body: String, vary: String? = nil, policy: URLCache.StoragePolicy = .allowed
    ) throws -> CachedURLResponse {
        let response = HTTPURLResponse(
            url: try #require(request.url), statusCode: 200, httpVersion: "HTTP/1.1",
            headerFields: vary.map { ["Vary": $0] } ?? [:])
        return CachedURLResponse(
            response: try #require(response), data: Data(body.utf8), userInfo: nil, storagePolicy: policy)
    }

    private func store(_ body: String, for request: URLRequest, in cache: URLCache, vary: String? = nil) throws {
        cache.storeCachedResponse(try response(to: request, body, vary: vary), for: request)
    }

    private func found(_ request: URLRequest, in cache: URLCache) -> String? {
        cache.cachedResponse(for: request).map { String(decoding: $0.data, as: UTF8.self) }
    }

    /// Capacities of a memory cache, a disk cache, and one with both.
    private static let kinds = [(1 << 20, 0), (0, 1 << 20), (1 << 20, 1 << 20)]

    private func withCache(
        _ kind: (Int, Int), _ body: (URLCache, URL) throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let directory = URL(fileURLWithPath: folder.path + "/cache", isDirectory: true)
            try body(URLCache(memoryCapacity: kind.0, diskCapacity: kind.1, directory: directory), directory)
        }
    }

    @Test(arguments: kinds) func `distinguishes queries, and no fragments`(kind: (Int, Int)) async throws {
        try await withCache(kind) { cache, _ in
            try store("a", for: request("/?q=a"), in: cache)
            try store("b", for: request("/?q=b#top"), in: cache)
            #expect(try found(request("/?q=a"), in: cache) == "a")
            #expect(try found(request("/?q=b"), in: cache) == "b")
            #expect(try found(request("/"), in: cache) == nil)
            var post = try request("/?q=a")
            post.httpMethod = "POST"
            #expect(found(post, in: cache) == nil)
        }
    }

    @Test(arguments: kinds) func `distinguishes requests by the fields that Vary names`(kind: (Int, Int)) async throws {
        try await withCache(kind) { cache, _ in
            let (german, english) = (["accept-language": "de"], ["Accept-Language": "en"])
            try store("de", for: request("/", german), in: cache, vary: "Accept-Language")
            try store("en", for: request("/", english), in: cache, vary: "Accept-Language")
            #expect(try found(request("/", german), in: cache) == "de")
            #expect(try found(request("/", english), in: cache) == "en")
            #expect(try found(request("/"), in: cache) == nil)
            try store("all", for: request("/", english), in: cache)
            #expect(try found(request("/", english), in: cache) == "all")
            #expect(try found(request("/", german), in: cache) == "all")
        }
    }

    @Test(arguments: kinds) func `finds without an Accept-Encoding what a session has fetched with its own`(
        kind: (Int, Int)
    ) async throws {
        try await withCache(kind) { cache, _ in
            let sent = try request("/", ["Accept-Encoding": RequestFieldMapping.acceptedCodings])
            try store("a", for: sent, in: cache, vary: "Accept-Encoding")
            #expect(try found(request("/"), in: cache) == "a")
            #expect(try found(request("/", ["Accept-Encoding": "br"]), in: cache) == nil)
        }
    }

    @Test(arguments: kinds) func `removes one response, all, and those newer than a date`(kind: (Int, Int)) async throws
    {
        try await withCache(kind) { cache, _ in
            for path in ["/1", "/2", "/3"] { try store(path, for: request(path), in: cache) }
            cache.removeCachedResponse(for: try request("/1"))
            #expect(try found(request("/1"), in: cache) == nil && found(request("/2"), in: cache) == "/2")
            cache.removeCachedResponses(since: Date() + 60)
            #expect(try found(request("/2"), in: cache) == "/2")
            cache.removeCachedResponses(since: Date() - 60)
            #expect(try found(request("/2"), in: cache) == nil)
            try store("4", for: request("/4"), in: cache)
            cache.removeAllCachedResponses()
            #expect(try found(request("/4"), in: cache) == nil)
            #expect(cache.currentDiskUsage == 0 && cache.currentMemoryUsage == 0)
        }
    }

    @Test func `keeps memory-only responses off the disk, and stores none that it may not`() async throws {
        try await withCache((1 << 20, 1 << 20)) { cache, _ in
            let request = try request("/")
            try store("old", for: request, in: cache)
            cache.storeCachedResponse(try response(to: request, "a", policy: .allowedInMemoryOnly), for: request)
            #expect(found(request, in: cache) == "a" && cache.currentDiskUsage == 0)
            cache.storeCachedResponse(try response(to: request, "b", policy: .notAllowed), for: request)
            #expect(found(request, in: cache) == "a")
        }
    }

    // MARK: On disk

    @Test func `exists at the next launch, and removes unused responses then`() async throws {
        try await withCache((0, 1 << 20)) { cache, directory in
            for number in 0..<20 {
                try store(String(repeating: "x", count: 10_000), for: request("/\(number)"), in: cache)
            }
            _ = found(try request("/0"), in: cache)
            let next = URLCache(memoryCapacity: 0, diskCapacity: 1 << 20, directory: directory)
            #expect(next.currentDiskUsage == cache.currentDiskUsage && next.currentDiskUsage > 200_000)
            next.diskCapacity = 60_000
            #expect(next.currentDiskUsage <= 60_000)
            #expect(try found(request("/0"), in: next) != nil && found(request("/1"), in: next) == nil)
            #expect(try found(request("/19"), in: cache) != nil)
        }
    }

    @Test func `makes no folder before it stores, and then one for its user alone`() async throws {
        try await withCache((0, 1 << 20)) { cache, directory in
            _ = found(try request("/"), in: cache)
            cache.removeAllCachedResponses()
            #expect(!FileManager.default.fileExists(atPath: directory.path))
            try store("a", for: request("/"), in: cache)
            let files = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            for path in [directory.path] + files.map({ directory.path + "/" + $0 }) {
                let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
                #expect((mode ?? 0o777) & 0o077 == 0)
            }
        }
    }

    @Test func `uses no folder to which others may write, and touches no file but its own`() async throws {
        try await withCache((1 << 20, 1 << 20)) { cache, directory in
            let files = FileManager.default
            try files.createDirectory(at: directory, withIntermediateDirectories: true)
            let own = directory.appendingPathComponent("notes.txt").path
            #expect(files.createFile(atPath: own, contents: Data("mine".utf8)))
            try files.setAttributes([.posixPermissions: 0o777], ofItemAtPath: directory.path)
            try store("a", for: request("/"), in: cache)
            #expect(try found(request("/"), in: cache) == "a" && cache.currentDiskUsage == 0)
            try files.setAttributes([.posixPermissions: 0o700], ofItemAtPath: directory.path)
            try store("a", for: request("/"), in: cache)
            #expect(cache.currentDiskUsage > 0)
            cache.removeAllCachedResponses()
            #expect(files.contents(atPath: own) == Data("mine".utf8))
        }
    }

    @Test func `goes on after its folder was removed, and after a file was altered`() async throws {
        try await withCache((0, 1 << 20)) { cache, directory in
            try store("a", for: request("/"), in: cache)
            try FileManager.default.removeItem(at: directory)
            #expect(try found(request("/"), in: cache) == nil)
            try store("b", for: request("/"), in: cache)
            #expect(try found(request("/"), in: cache) == "b")
            let files = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            for file in files where file.hasSuffix(".response") {
                let path = directory.path + "/" + file
                try Data("other".utf8).write(to: URL(fileURLWithPath: path))
            }
            #expect(try found(request("/"), in: cache) == nil)
            try store("c", for: request("/"), in: cache)
            #expect(try found(request("/"), in: cache) == "c")
        }
    }

    @Test func `has its responses, and removes them, after its log was begun anew or is gone`() async throws {
        try await withCache((0, 1 << 22)) { cache, directory in
            for _ in 0..<2 {
                for number in 0..<600 { try store("\(number)", for: request("/\(number)"), in: cache) }
            }
            #expect(try (0..<600).allSatisfy { try found(request("/\($0)"), in: cache) == "\($0)" })
            try FileManager.default.removeItem(at: directory.appendingPathComponent(CacheLog.name))
            #expect(found(try request("/7"), in: cache) == "7")
            let next = URLCache(memoryCapacity: 0, diskCapacity: 1 << 22, directory: directory)
            #expect(found(try request("/8"), in: next) == "8")
            try FileManager.default.removeItem(at: directory.appendingPathComponent(CacheLog.name))
            cache.removeAllCachedResponses()
            #expect(try cache.currentDiskUsage == 0 && found(request("/8"), in: next) == nil)
            let files = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            #expect(files == [CacheLog.name])
        }
    }

    @Test func `that had no place on disk leaves the disk of others alone`() async throws {
        try await withCache((1 << 20, 1 << 20)) { cache, directory in
            try store("a", for: request("/"), in: cache)
            let other = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, directory: directory)
            try store("b", for: request("/"), in: other)
            other.diskCapacity = 0
            other.removeAllCachedResponses()
            #expect(try found(request("/"), in: cache) == "a" && cache.currentDiskUsage > 0)
        }
    }

    @Test func `shares a folder with another cache: each sees what the other has stored and removed`() async throws {
        try await withCache((1 << 20, 1 << 20)) { cache, directory in
            let other = URLCache(memoryCapacity: 1 << 20, diskCapacity: 1 << 20, directory: directory)
            try store("a", for: request("/"), in: cache)
            #expect(try found(request("/"), in: other) == "a")
            try store("b", for: request("/"), in: other)
            #expect(try found(request("/"), in: cache) == "b")
            cache.removeAllCachedResponses()
            #expect(try found(request("/"), in: other) == nil)
        }
    }

    @Test func `stays below its limit while several threads store and look, each finding what was stored`() async throws
    {
        try await withTemporaryFolder { folder in
            let directory = URL(fileURLWithPath: folder.path, isDirectory: true)
            let caches = (0..<2).map { _ in
                URLCache(memoryCapacity: 50_000, diskCapacity: 200_000, directory: directory)
            }
            let largest = Mutex(0)
            let wrong = Mutex<[String]>([])
            DispatchQueue.concurrentPerform(iterations: 4) { worker in
                for number in 0..<400 {
                    guard let request = try? request("/\(number % 40)") else { continue }
                    let body = "\(number % 40) " + String(repeating: "x", count: 10 * (number % 100))
                    try? store(body, for: request, in: caches[worker % 2])
                    if let text = found(request, in: caches[worker % 2]), !text.hasPrefix("\(number % 40) ") {
                        wrong.withLock { $0.append(text) }
                    }
                    if number % 10 == 0 { largest.withLock { $0 = max($0, size(of: folder)) } }
                }
            }
            #expect(largest.withLock { $0 } <= 200_000)
            #expect(wrong.withLock { $0 }.isEmpty)
            #expect(caches[0].currentDiskUsage == caches[1].currentDiskUsage)
        }
    }

    /// Returns the total size of the responses in a folder.
    private func size(of folder: TemporaryFolder) -> Int {
        folder.contents.filter { $0 != CacheLog.name }.reduce(0) { sum, name in
            let facts = try? FileManager.default.attributesOfItem(atPath: folder.file(name))
            return sum + (facts?[.size] as? Int ?? 0)
        }
    }

    @Test func `has a folder of the app among the user's caches`() {
        let environment = ["HOME": "/home/u", "XDG_CACHE_HOME": "relative"]
        let usual = CachePlace.folder(named: "a/b", of: "/usr/bin/app", environment: environment)
        #expect(usual == "/home/u/.cache/ferry/_usr_bin_app/a_b")
        let given = CachePlace.folder(named: "..", of: "org.app", environment: ["XDG_CACHE_HOME": "/c"])
        #expect(given == "/c/ferry/org.app/_")
    }
}
