import FerryCore
import Foundation
import Synchronization

/// The responses of a cache on disk, one file each. A file is written under a temporary name and renamed, so it is
/// never incomplete.
///
/// Several processes may share a folder. Each change is made under the lock of the folder's log, from which the other
/// processes learn of it.
final class CacheFolder: Sendable {
    private struct State {
        /// Nil while the folder does not exist.
        var log: CacheLog?
        /// Number of changes by other processes.
        var foreignChanges = 0
        var ledger = CacheLedger<Void>()
    }

    private let files: CacheFiles
    private let state = Mutex(State())
    /// Held by the thread that changes the folder, also while it waits for the log's lock. Reads do not take it.
    private let changing = Mutex(())

    /// Creates nothing on disk.
    init(_ path: String) { files = CacheFiles(path: path) }

    /// Number of changes of the folder by other processes or by other caches of this process.
    var foreignChanges: Int { look { $0.foreignChanges } }

    /// Size of all responses in bytes.
    var size: Int { look { $0.ledger.size } }

    /// Returns the newest response that matches a request.
    func response(to request: CacheRequest) -> (name: CacheName, response: KeptResponse)? {
        for (name, _) in look({ $0.ledger.candidates(for: request.resource) }) {
            guard let kept = files.read(name), kept.answers(request.fields) else { continue }
            state.withLock { $0.ledger.use(name) }
            files.noteUse(of: name)
            return (name, kept)
        }
        return nil
    }

    /// Stores a response. Replaces the one that matched the request before, and evicts the least recently used
    /// responses.
    ///
    /// - Parameter capacity: Maximum size of all responses in bytes.
    func keep(_ kept: KeptResponse, as name: CacheName, for request: CacheRequest, capacity: Int) {
        let data = CacheFile.encode(kept).flatMap { $0.count <= capacity ? $0 : nil }
        change(creating: data != nil) { state in
            let others = state.ledger.candidates(for: name.resource).map(\.name).filter { other in
                other == name || files.read(other)?.answers(request.fields) != false
            }
            remove(others, &state)
            guard let data else { return }
            remove(state.ledger.shrink(to: capacity - data.count).map(\.name), &state)
            let added = CacheLog.Change.added(name, size: data.count, stored: kept.stored)
            guard state.log?.append([added]) == true else { return }
            state.ledger.apply(added)
            if !files.write(data, as: name, stored: kept.stored) { remove([name], &state) }
        }
    }

    /// Removes the responses that match a predicate.
    func removeAll(where isToGo: (CacheName, Date) -> Bool) {
        change(creating: false) { state in
            remove(state.ledger.all.filter { isToGo($0.name, $0.entry.stored) }.map(\.name), &state)
        }
    }

    /// Evicts the least recently used responses if the responses exceed `capacity` bytes.
    func shrink(to capacity: Int) {
        guard size > capacity else { return }
        change(creating: false) { state in
            remove(state.ledger.shrink(to: capacity).map(\.name), &state)
        }
    }

    // MARK: Access

    private func look<Result: Sendable>(_ body: (borrowing State) -> Result) -> Result {
        state.withLock { state in
            if open(&state, creating: false) { learn(&state) }
            return body(state)
        }
    }

    private func change(creating: Bool, _ body: (inout State) -> Void) {
        changing.withLock { _ in
            var isDone = false
            // Another process may have replaced the log while this one waited for its lock. Then lock the new log.
            while !isDone {
                guard let log = state.withLock({ open(&$0, creating: creating) ? $0.log : nil }), log.lock() else {
                    return
                }
                isDone = state.withLock { change(&$0, under: log, body) }
                log.unlock()
            }
        }
    }

    /// Changes the folder. The caller holds the log's lock.
    ///
    /// - Returns: False if the log has been replaced.
    private func change(_ state: inout State, under log: CacheLog, _ body: (inout State) -> Void) -> Bool {
        guard state.log?.isSame(as: log) == true, !log.isRemoved else { return false }
        learn(&state)
        // Left by a process that crashed while writing. No process is writing under this lock.
        files.removeUnfinished()
        if log.isTorn {
            files.removeLog()
            return false
        }
        body(&state)
        if log.isWornOut { files.removeLog() }
        return true
    }

    /// Opens the folder and reads its contents, unless it is open.
    private func open(_ state: inout State, creating: Bool) -> Bool {
        if let log = state.log {
            // Cache folders may be removed at any time.
            if !log.isRemoved { return true }
            state.log = nil
            state.ledger = CacheLedger()
            state.foreignChanges += 1
        }
        guard files.open(creating: creating) else { return false }
        // The log may have been removed because it was too long, while the responses remain.
        state.log = CacheLog(in: files.path)
        if state.log != nil { state.ledger = files.contents() }
        return state.log != nil
    }

    /// Applies the changes of other processes.
    private func learn(_ state: inout State) {
        let news = state.log?.news() ?? []
        for change in news { state.ledger.apply(change) }
        if !news.isEmpty { state.foreignChanges += 1 }
    }

    private func remove(_ names: [CacheName], _ state: inout State) {
        guard !names.isEmpty else { return }
        for name in names {
            files.remove(name)
            state.ledger.remove(name)
        }
        _ = state.log?.append(names.map { .removed($0) })
    }
}
