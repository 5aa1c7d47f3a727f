public import Foundation
public import FoundationNetworking
import Synchronization

/// Responses that sessions and apps keep, in memory and on disk, so that they need not be fetched again.
///
/// A response is found by the method and URL of its request, without the fragment, and by the fields of the request that its
/// `Vary` names (RFC 9111 §4.1). What is on disk is there at the next launch, whole or not at all. Every method may be called
/// from any thread, and blocks it while it reads or writes the disk. Behaves as Apple's `URLCache`.
open class URLCache: NSObject, @unchecked Sendable {  // SAFETY: constants, and state in a Mutex
    /// Where a response may be kept.
    public typealias StoragePolicy = FoundationNetworking.URLCache.StoragePolicy

    private struct State {
        var memoryCapacity: Int
        var diskCapacity: Int
        var memory = CacheLedger<KeptResponse>()
        /// Changes of the folder by other caches, which what is in memory takes account of.
        var foreignChanges = 0
        /// Counts what was stored and removed here: what was read from the disk before that may be no more.
        var changes = 0
    }

    /// Bytes that a response takes in memory beside its body, about.
    private static let overhead = 1 << 10
    private static let sharedCache = Mutex<URLCache?>(nil)

    private let state: Mutex<State>
    private let folder: CacheFolder

    /// The cache of `URLSession.shared` and of sessions whose configuration is `.default`: 4 MiB in memory and 20 MiB on disk,
    /// unless another is set.
    open class var shared: URLCache {
        get {
            sharedCache.withLock { cache in
                let shared = cache ?? URLCache()
                cache = shared
                return shared
            }
        }
        set { sharedCache.withLock { $0 = newValue } }
    }

    /// A cache of 4 MiB in memory and 20 MiB in the app's folder for caches.
    public convenience override init() { self.init(memoryCapacity: 4 << 20, diskCapacity: 20 << 20) }

    /// - Parameters:
    ///   - memoryCapacity: bytes in memory at most.
    ///   - diskCapacity: bytes of responses on disk at most, beside a log of 64 KiB; with 0 there is no folder.
    ///   - directory: where the files are. It is made when the first response is stored, for this user alone, and is not used if
    ///     another user owns it or may write to it. Nil is a folder of the app among the user's caches.
    public init(memoryCapacity: Int, diskCapacity: Int, directory: URL? = nil) {
        state = Mutex(State(memoryCapacity: max(0, memoryCapacity), diskCapacity: max(0, diskCapacity)))
        folder = CacheFolder(directory?.path ?? CachePlace.folder(named: "URLCache"))
        super.init()
    }

    /// - Parameter path: an absolute path, or the name of a folder of the app among the user's caches; nil is one that all caches
    ///   without a name share.
    public convenience init(memoryCapacity: Int, diskCapacity: Int, diskPath path: String?) {
        let folder = path.map { $0.hasPrefix("/") ? $0 : CachePlace.folder(named: $0) }
        self.init(
            memoryCapacity: memoryCapacity, diskCapacity: diskCapacity,
            directory: folder.map { URL(fileURLWithPath: $0, isDirectory: true) })
    }

    // MARK: Room

    /// Bytes in memory at most; when it is lowered, what was not used for the longest time is removed.
    open var memoryCapacity: Int {
        get { state.withLock(\.memoryCapacity) }
        set {
            state.withLock { state in
                state.memoryCapacity = max(0, newValue)
                _ = state.memory.shrink(to: state.memoryCapacity)
            }
        }
    }

    /// Bytes on disk at most; when it is lowered, what was not used for the longest time is removed.
    open var diskCapacity: Int {
        get { state.withLock(\.diskCapacity) }
        set {
            let before = state.withLock { state in
                defer { state.diskCapacity = max(0, newValue) }
                return state.diskCapacity
            }
            // Without a place on disk before, what is in the folder is another cache's.
            if before > 0 { folder.shrink(to: max(0, newValue)) }
        }
    }

    /// Bytes that the responses in memory take.
    open var currentMemoryUsage: Int { state.withLock(\.memory.size) }

    /// Bytes that the responses on disk take.
    open var currentDiskUsage: Int { disk?.size ?? 0 }

    /// The folder; nil for a cache that has nothing on disk, whose folder may be another cache's.
    private var disk: CacheFolder? { state.withLock { $0.diskCapacity > 0 ? folder : nil } }

    // MARK: By request

    /// Returns the newest response that answers a request, whether it is fresh or not; nil if there is none.
    open func cachedResponse(for request: URLRequest) -> CachedURLResponse? {
        guard let asked = CacheRequest(request) else { return nil }
        let disk = disk
        let foreignChanges = disk?.foreignChanges ?? 0
        let (inMemory, changes) = state.withLock { state -> (KeptResponse?, Int) in
            if state.foreignChanges != foreignChanges {
                state.foreignChanges = foreignChanges
                state.memory = CacheLedger()
            }
            let found = state.memory.candidates(for: asked.resource).first { $0.entry.content.answers(asked.fields) }
            if let found { state.memory.use(found.name) }
            return (found?.entry.content, state.changes)
        }
        if let inMemory { return inMemory }
        guard let (name, kept) = disk?.response(to: asked) else { return nil }
        remember(kept, as: name, unlessChangedSince: changes)
        return kept
    }

    /// Stores a response, in the place of one that answered the request before, and of others that were not used for long.
    ///
    /// One that is larger than the cache, or whose policy is `.notAllowed`, is not stored.
    open func storeCachedResponse(_ cachedResponse: CachedURLResponse, for request: URLRequest) {
        guard cachedResponse.storagePolicy != .notAllowed, let asked = CacheRequest(request) else { return }
        let stored = (cachedResponse as? KeptResponse)?.stored ?? Date()
        let kept = KeptResponse(
            cachedResponse, stored: stored, selecting: asked.selecting(for: cachedResponse.response))
        let name = asked.name(selecting: kept.selecting)
        state.withLock { state in
            state.changes += 1
            for (other, entry) in state.memory.candidates(for: asked.resource)
            where other == name || entry.content.answers(asked.fields) { state.memory.remove(other) }
        }
        remember(kept, as: name)
        let capacity = cachedResponse.storagePolicy == .allowed ? diskCapacity : 0
        disk?.keep(kept, as: name, for: asked, capacity: capacity)
        changed()
    }

    /// Removes all responses to a request, whatever its fields.
    open func removeCachedResponse(for request: URLRequest) {
        guard let resource = CacheRequest(request)?.resource else { return }
        forget { name, _ in name.resource == resource }
        disk?.removeAll { name, _ in name.resource == resource }
        changed()
    }

    /// Removes all responses.
    open func removeAllCachedResponses() {
        forget { _, _ in true }
        disk?.removeAll { _, _ in true }
        changed()
    }

    /// Removes the responses that were stored at a date or later.
    open func removeCachedResponses(since date: Date) {
        forget { $1.stored >= date }
        disk?.removeAll { $1 >= date }
        changed()
    }

    // MARK: By task

    /// Calls a handler, before it returns, with the response to a task's current request, which has the fields that its session
    /// adds; with nil if there is none.
    open func getCachedResponse(
        for dataTask: URLSessionDataTask, completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) { completionHandler(dataTask.requestForCache.flatMap { cachedResponse(for: $0) }) }

    /// Stores a response to a task's current request.
    open func storeCachedResponse(_ cachedResponse: CachedURLResponse, for dataTask: URLSessionDataTask) {
        if let request = dataTask.requestForCache { storeCachedResponse(cachedResponse, for: request) }
    }

    /// Removes all responses to a task's current request.
    open func removeCachedResponse(for dataTask: URLSessionDataTask) {
        if let request = dataTask.requestForCache { removeCachedResponse(for: request) }
    }

    // MARK: In memory

    private func remember(_ kept: KeptResponse, as name: CacheName, unlessChangedSince changes: Int? = nil) {
        state.withLock { state in
            if let changes, changes != state.changes { return }
            _ = state.memory.insert(
                kept, as: name, size: kept.data.count + Self.overhead, stored: kept.stored,
                capacity: state.memoryCapacity)
        }
    }

    /// Notes a change of the disk, so that a response read before it is not kept in memory.
    private func changed() { state.withLock { $0.changes += 1 } }

    private func forget(_ isToGo: (CacheName, KeptResponse) -> Bool) {
        state.withLock { state in
            state.changes += 1
            for (name, entry) in state.memory.all where isToGo(name, entry.content) { state.memory.remove(name) }
        }
    }
}
