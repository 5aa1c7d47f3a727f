import FerryCore
import FerryEngine
import FerryRules
import FerryTesting
import Synchronization

/// An in-memory journal that keeps every commit in order, with the number of disk events before it.
final class RecordingJournal: FactsJournal {
    struct Commit: Sendable {
        var facts: TransferFacts
        /// Number of disk events before the commit.
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

    /// The facts that a daemon would read if it started at this point.
    var facts: TransferFacts { commits.last?.facts ?? TransferFacts() }

    /// Reserves a destination for another live transfer.
    func take(_ path: String) { state.withLock { _ = $0.taken.insert(path) } }

    /// Fails every commit until `restore`.
    func cut() { state.withLock { $0.isCut = true } }

    func restore() { state.withLock { $0.isCut = false } }

    /// Waits until facts are recorded that fulfill a condition.
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

    func record(
        _ facts: TransferFacts, of id: TransferID, isolation: isolated (any Actor)?
    ) async throws(ServiceError) -> Bool {
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

/// The reports of all attempts of one transfer.
struct History: Sendable {
    enum End: Sendable {
        case succeeded(Outcome.Success)
        case failed(ServiceError)
        /// The limit of attempts was reached. A real transfer would continue.
        case unfinished(ServiceError)
        case stopped
        case challenged(PendingChallenge)
    }

    var reports: [RunReport]
    var end: End

    var facts: TransferFacts { reports.last?.facts ?? TransferFacts() }

    var success: Outcome.Success? { if case .succeeded(let success) = end { success } else { nil } }

    /// The error with which the transfer failed.
    var failure: ServiceError? { if case .failed(let error) = end { error } else { nil } }

    /// The error of each failed attempt.
    var errors: [ServiceError] {
        reports.compactMap { if case .failed(let error, _) = $0.result { error } else { nil } }
    }

    var codes: [ErrorCode] { errors.map(\.code) }
}
