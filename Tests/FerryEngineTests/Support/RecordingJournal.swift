import FerryCore
import FerryEngine
import FerryTesting
import Synchronization

/// A journal in memory that keeps every commit, in order, with what had happened on the disk by then.
final class RecordingJournal: FactsJournal {
    struct Commit: Sendable {
        var facts: TransferFacts
        /// How many events the disk had seen.
        var diskEvents: Int
    }

    private struct State {
        var commits: [Commit] = []
        var taken: Set<String> = []
        var isCut = false
        var waiters: [(holds: @Sendable (TransferFacts) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let disk: FaultyDisk
    private let state = Mutex(State())

    init(disk: FaultyDisk) { self.disk = disk }

    var commits: [Commit] { state.withLock(\.commits) }

    /// What a daemon that starts now would know.
    var facts: TransferFacts { commits.last?.facts ?? TransferFacts() }

    /// Makes another live transfer the holder of a destination.
    func take(_ path: String) { state.withLock { _ = $0.taken.insert(path) } }

    /// Fails every commit until `restore`.
    func cut() { state.withLock { $0.isCut = true } }

    func restore() { state.withLock { $0.isCut = false } }

    /// Returns once facts were recorded for which a condition holds.
    func wait(until holds: @escaping @Sendable (TransferFacts) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if state.commits.contains(where: { holds($0.facts) }) { return true }
                state.waiters.append((holds, continuation))
                return false
            }
            if isDone { continuation.resume() }
        }
    }

    func record(_ facts: TransferFacts, of id: TransferID) async throws(ServiceError) -> Bool {
        let diskEvents = disk.events.count
        let (isFree, satisfied) = try state.withLock {
            (state) throws(ServiceError) -> (Bool, [CheckedContinuation<Void, Never>]) in
            guard !state.isCut else { throw ServiceError(.journalFailed, "The journal cannot be written.") }
            if let path = facts.destination, state.taken.contains(path) { return (false, []) }
            state.commits.append(Commit(facts: facts, diskEvents: diskEvents))
            let satisfied = state.waiters.filter { $0.holds(facts) }
            state.waiters.removeAll { $0.holds(facts) }
            return (true, satisfied.map(\.continuation))
        }
        for continuation in satisfied { continuation.resume() }
        return isFree
    }
}

/// How all tries of one transfer went.
struct History: Sendable {
    enum End: Sendable {
        case succeeded(Outcome.Success)
        case failed(ServiceError)
        /// No try was left; the transfer itself would have gone on.
        case unfinished(ServiceError)
        case stopped
        case challenged(PendingChallenge)
    }

    var reports: [RunReport]
    var end: End

    var facts: TransferFacts { reports.last?.facts ?? TransferFacts() }

    var success: Outcome.Success? { if case .succeeded(let success) = end { success } else { nil } }

    /// The error that ended the transfer.
    var failure: ServiceError? { if case .failed(let error) = end { error } else { nil } }

    /// The error of each try that failed.
    var errors: [ServiceError] {
        reports.compactMap { if case .failed(let error, _) = $0.result { error } else { nil } }
    }

    var codes: [ErrorCode] { errors.map(\.code) }
}
