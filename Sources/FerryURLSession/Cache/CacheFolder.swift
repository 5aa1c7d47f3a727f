import FerryCore
import Foundation
import Synchronization

/// The responses that a cache has on disk: one file each, which is written beside its place and then renamed, so that there is
/// never a part of one.
///
/// Several processes may use one folder. Each change is made under the lock of the folder's log, from which the others learn of
/// it.
final class CacheFolder: Sendable {
    private struct State {
        /// Nil while there is no folder.
        var log: CacheLog?
        /// How often another process has changed the folder.
        var foreignChanges = 0
        var ledger = CacheLedger<Void>()
    }

    private let files: CacheFiles
    private let state = Mutex(State())
    /// Held by the thread that changes the folder, also while it waits for the log's lock. Reads do not take it.
    private let changing = Mutex(())

    /// Makes nothing on disk.
    init(_ path: String) { files = CacheFiles(path: path) }

    /// How often another process, or another cache of this one, has changed the folder.
    var foreignChanges: Int { look { $0.foreignChanges } }

    /// Bytes that all responses take.
    var size: Int { look { $0.ledger.size } }

    /// Returns the newest response that answers a request.
    func response(to request: CacheRequest) -> (name: CacheName, response: KeptResponse)? {
        for (name, _) in look({ $0.ledger.candidates(for: request.resource) }) {
            guard let kept = files.read(name), kept.answers(request.fields) else { continue }
            state.withLock { $0.ledger.use(name) }
            files.noteUse(of: name)
            return (name, kept)
        }
        return nil
    }

    /// Keeps a response, in the place of what was not used for the longest time and of what answered the request before.
    ///
    /// - Parameter capacity: bytes that all responses may take.
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

    /// Removes the responses for which a rule says so.
    func removeAll(where isToGo: (CacheName, Date) -> Bool) {
        change(creating: false) { state in
            remove(state.ledger.all.filter { isToGo($0.name, $0.entry.stored) }.map(\.name), &state)
        }
    }

    /// Removes what was not used for the longest time, if the responses take more than some bytes.
    func shrink(to capacity: Int) {
        guard size > capacity else { return }
        change(creating: false) { state in
            remove(state.ledger.shrink(to: capacity).map(\.name), &state)
        }
    }

    // MARK: Looking and changing

    private func look<Result: Sendable>(_ body: (borrowing State) -> Result) -> Result {
        state.withLock { state in
            if open(&state, creating: false) { learn(&state) }
            return body(state)
        }
    }

    private func change(creating: Bool, _ body: (inout State) -> Void) {
        changing.withLock { _ in
            var isDone = false
            // Another process may have replaced the log while this one waited for its lock: then wait for the new one.
            while !isDone {
                guard let log = state.withLock({ open(&$0, creating: creating) ? $0.log : nil }), log.lock() else {
                    return
                }
                isDone = state.withLock { change(&$0, under: log, body) }
                log.unlock()
            }
        }
    }

    /// Changes the folder, whose log is locked.
    ///
    /// - Returns: false if the log is not the folder's any more.
    private func change(_ state: inout State, under log: CacheLog, _ body: (inout State) -> Void) -> Bool {
        guard state.log?.isSame(as: log) == true, !log.isRemoved else { return false }
        learn(&state)
        // Left by a process that died while it wrote; none writes now.
        files.removeUnfinished()
        if log.isTorn {
            files.removeLog()
            return false
        }
        body(&state)
        if log.isWornOut { files.removeLog() }
        return true
    }

    /// Opens the folder, unless it is open, and then reads what it has.
    private func open(_ state: inout State, creating: Bool) -> Bool {
        if let log = state.log {
            // The folder may have been removed meanwhile, as folders of caches are.
            if !log.isRemoved { return true }
            state.log = nil
            state.ledger = CacheLedger()
            state.foreignChanges += 1
        }
        guard files.open(creating: creating) else { return false }
        // The log may be gone, as one that is long is, and the responses still be there.
        state.log = CacheLog(in: files.path)
        if state.log != nil { state.ledger = files.contents() }
        return state.log != nil
    }

    /// Takes account of what other processes have changed.
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
