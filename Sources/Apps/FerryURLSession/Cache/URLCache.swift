public import Foundation
public import FoundationNetworking
import Synchronization

/// A cache of responses in memory and on disk.
///
/// A response is found by the method and URL of its request, without the fragment, and by the request fields named in
/// its `Vary` (RFC 9111 §4.1). Responses on disk survive a relaunch, each complete or not at all. Every method may be
/// called from any thread and blocks it while reading or writing the disk. Behaves as Apple's `URLCache`.
open class URLCache: NSObject, @unchecked Sendable {  // SAFETY: constants, and state in a Mutex
    /// The storage policy of a cached response.
    public typealias StoragePolicy = FoundationNetworking.URLCache.StoragePolicy

    private struct State {
        var memoryCapacity: Int
        var diskCapacity: Int
        var memory = CacheLedger<KeptResponse>()
        /// Number of changes of the folder by other caches that the memory cache has accounted for.
        var foreignChanges = 0
        /// Number of stores and removals in this cache. Detects that a response read from disk is outdated.
        var changes = 0
    }

    /// Approximate memory overhead of a response in addition to its body, in bytes.
    private static let overhead = 1 << 10
    private static let sharedCache = Mutex<URLCache?>(nil)

    private let state: Mutex<State>
    private let folder: CacheFolder

    /// The cache of `URLSession.shared` and of sessions with a `.default` configuration: 4 MiB in memory and 20 MiB on
    /// disk, unless another cache is set.
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

    /// Creates a cache of 4 MiB in memory and 20 MiB in the app's cache folder.
    public convenience override init() { self.init(memoryCapacity: 4 << 20, diskCapacity: 20 << 20) }

    /// - Parameters:
    ///   - memoryCapacity: Capacity in memory, in bytes.
    ///   - diskCapacity: Capacity on disk, in bytes of responses. A log of up to 64 KiB comes in addition. With 0,
    ///     there is no folder.
    ///   - directory: The folder of the files; nil is a folder of the app within the user's cache directory. It is
    ///     created with the first stored response, accessible to this user only, and is not used if another user owns
    ///     it or may write to it.
    public init(memoryCapacity: Int, diskCapacity: Int, directory: URL? = nil) {
        state = Mutex(State(memoryCapacity: max(0, memoryCapacity), diskCapacity: max(0, diskCapacity)))
        folder = CacheFolder(directory?.path ?? CachePlace.folder(named: "URLCache"))
        super.init()
    }

    /// - Parameters:
    ///   - memoryCapacity: Maximum size in memory, in bytes.
    ///   - diskCapacity: Maximum size on disk, in bytes.
    ///   - path: An absolute path, or the name of a folder of the app within the user's cache directory. Nil is a
    ///     folder shared by all caches without a name.
    public convenience init(memoryCapacity: Int, diskCapacity: Int, diskPath path: String?) {
        let folder = path.map { $0.hasPrefix("/") ? $0 : CachePlace.folder(named: $0) }
        self.init(
            memoryCapacity: memoryCapacity, diskCapacity: diskCapacity,
            directory: folder.map { URL(fileURLWithPath: $0, isDirectory: true) })
    }

    // MARK: Capacity

    /// Capacity in memory, in bytes. Lowering it evicts the least recently used responses.
    open var memoryCapacity: Int {
        get { state.withLock(\.memoryCapacity) }
        set {
            state.withLock { state in
                state.memoryCapacity = max(0, newValue)
                _ = state.memory.shrink(to: state.memoryCapacity)
            }
        }
    }

    /// Capacity on disk, in bytes. Lowering it evicts the least recently used responses.
    open var diskCapacity: Int {
        get { state.withLock(\.diskCapacity) }
        set {
            let before = state.withLock { state in
                defer { state.diskCapacity = max(0, newValue) }
                return state.diskCapacity
            }
            // With a former capacity of 0, the responses in the folder belong to another cache.
            if before > 0 { folder.shrink(to: max(0, newValue)) }
        }
    }

    /// Size of the responses in memory, in bytes.
    open var currentMemoryUsage: Int { state.withLock(\.memory.size) }

    /// Size of the responses on disk, in bytes.
    open var currentDiskUsage: Int { disk?.size ?? 0 }

    /// The folder; nil with a disk capacity of 0, since the folder may then belong to another cache.
    private var disk: CacheFolder? { state.withLock { $0.diskCapacity > 0 ? folder : nil } }

    // MARK: By request

    /// Returns the newest response that matches a request, fresh or stale; nil if there is none.
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

    /// Stores a response. Replaces the one that matched the request before, and evicts the least recently used
    /// responses.
    ///
    /// A response that exceeds the capacity or has the policy `.notAllowed` is not stored.
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

    /// Removes all responses to a request, for all values of its fields.
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

    /// Removes the responses stored at or after a date.
    open func removeCachedResponses(since date: Date) {
        forget { $1.stored >= date }
        disk?.removeAll { $1 >= date }
        changed()
    }

    // MARK: By task

    /// Calls the handler synchronously with the response to a task's current request, including the fields that its
    /// session adds; nil if there is none.
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

    /// Counts a change of the disk, so that a response read before it is not kept in memory.
    private func changed() { state.withLock { $0.changes += 1 } }

    private func forget(_ isToGo: (CacheName, KeptResponse) -> Bool) {
        state.withLock { state in
            state.changes += 1
            for (name, entry) in state.memory.all where isToGo(name, entry.content) { state.memory.remove(name) }
        }
    }
}
