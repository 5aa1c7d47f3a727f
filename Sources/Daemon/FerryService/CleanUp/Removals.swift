import FerryCore
import FerryEngine
import FerryQueue
import FerryRules
import Foundation
import Synchronization

/// Removes the files of canceled and removed transfers, and then the transfers.
actor Removals {
    private let queue: LiveQueue
    private let journal: any Journal
    private let hub: EventHub
    private let ends: TransferEnds
    private let records: StartingRecords
    private let memories: SessionMemories
    private let configuration: ServiceConfiguration
    // SAFETY: The actor keeps alive what owns the executor.
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.unownedExecutor }

    init(
        _ queue: LiveQueue, journal: any Journal, hub: EventHub, ends: TransferEnds, records: StartingRecords,
        memories: SessionMemories, _ configuration: ServiceConfiguration
    ) {
        self.queue = queue
        self.journal = journal
        self.hub = hub
        self.ends = ends
        self.records = records
        self.memories = memories
        self.configuration = configuration
    }

    // MARK: After an action

    /// Removes the files of canceled transfers, stores their outcomes, and releases the transfers. Returns after a
    /// few seconds at most. If the disk has not responded by then, the work continues in the background.
    ///
    /// - Returns: The results known by then.
    func finishCancels(_ records: [TransferRecord]) async -> [ActionResult] {
        await inTime { done in
            await concurrently(records) { record in await self.finishCancel(record, done) }
        }
    }

    /// Stores that removed transfers were canceled, removes them with their files, and releases them. Waits a few
    /// seconds at most, as ``finishCancels(_:)`` does.
    ///
    /// - Returns: The results known by then.
    func finishRemovals(_ records: [TransferRecord]) async -> [ActionResult] {
        await inTime { done in
            await concurrently(records) { record in await self.storeCancel(record, done) }
            let failures = Set(done.results.map(\.id))
            let stored = records.filter { !failures.contains($0.id) }
            await concurrently(Array(Dictionary(grouping: stored, by: \.request.session))) { own in
                await self.finishRemovals(of: own.value.map(\.id), in: own.key, sparesSucceeded: false, done)
            }
        }
    }

    /// Completes removals already stored in the journal, and releases the transfers. Failed removals are retried later.
    func finishRemovals(
        of ids: [TransferID], in session: SessionID, sparesSucceeded: Bool
    ) async -> [ActionResult] {
        let done = FinishedTransfers()
        await finishRemovals(of: ids, in: session, sparesSucceeded: sparesSucceeded, done)
        return done.results
    }

    private func finishRemovals(
        of ids: [TransferID], in session: SessionID, sparesSucceeded: Bool, _ done: FinishedTransfers
    ) async {
        do throws(ServiceError) {
            let failures = try await tryToFinishRemovals(of: ids, in: session, sparesSucceeded: sparesSucceeded)
            if !failures.isEmpty { queue.cleanUpLater() }
            for id in ids { done.add(ActionResult(id: id, error: failures[id])) }
        } catch {
            for id in ids { done.add(failed(id, error)) }
        }
        release(ids)
    }

    private func release(_ ids: [TransferID]) { queue.take(.release(ids, .files)) }

    private func inTime(_ work: @escaping @Sendable (FinishedTransfers) async -> Void) async -> [ActionResult] {
        let done = FinishedTransfers()
        let task = Task(name: "files of transfers") { await work(done) }
        await Patience.wait(atMost: .seconds(configuration.answerLimit), by: queue.clock) { await task.value }
        return done.results
    }

    private func finishCancel(_ record: TransferRecord, _ done: FinishedTransfers) async {
        do throws(ServiceError) {
            try await finishCancel(record)
            done.add(ActionResult(id: record.id, state: record.outcome?.state ?? .canceled))
        } catch {
            done.add(failed(record.id, error))
        }
        release([record.id])
    }

    /// Stores that a removed transfer was canceled, if it had not ended. If that fails, releases the transfer.
    private func storeCancel(_ record: TransferRecord, _ done: FinishedTransfers) async {
        do throws(ServiceError) {
            _ = try await ends.finish(record) { stopped in
                var machine = TransferMachine(stopped)
                guard case .finish(let outcome) = machine.runStopped() else { return nil }
                return (machine.record, outcome)
            }
        } catch {
            done.add(failed(record.id, error))
            release([record.id])
        }
    }

    private func failed(_ id: TransferID, _ error: ServiceError) -> ActionResult {
        queue.cleanUpLater()
        return ActionResult(id: id, error: error)
    }

    // MARK: Removal

    /// Removes a canceled transfer's files and records its outcome.
    ///
    /// - Parameter disk: The disk queue that removes them. `nil` is the default one.
    func finishCancel(_ record: TransferRecord, on disk: DiskQueue? = nil) async throws(ServiceError) {
        var found: TransferRecord? = record
        while let stopped = found {
            var machine = TransferMachine(stopped)
            guard case .finish(let outcome) = machine.runStopped() else { return }
            var ended = machine.record
            let leftovers = Leftovers(stopped)
            if let error = await removeLeftovers([leftovers], on: disk)[leftovers.id] { throw error }
            ended.facts.partial = nil
            ended.facts.copy = nil
            ended.facts.needsTruncation = false
            if try await ends.finish(ended, outcome) { return }
            // The transfer has changed since it was read.
            found = try await journal.records(of: [record.id]).first
        }
    }

    private func tryToFinishRemovals(
        of ids: [TransferID], in session: SessionID, sparesSucceeded: Bool
    ) async throws(ServiceError) -> [TransferID: ServiceError] {
        var remains = try await journal.read { reader throws(ServiceError) in try reader.remains(of: ids) }
        if sparesSucceeded {
            // A transfer that succeeded while being stopped has its own event.
            let arrived = remains.filter(\.hasSucceeded).map(\.id)
            if !arrived.isEmpty {
                try await journal.commit { transaction throws(ServiceError) in try transaction.keep(arrived) }
                remains.removeAll { arrived.contains($0.id) }
            }
        }
        return try await finishRemoval(of: remains, in: session)
    }

    /// Removes the files of transfers at rest, then the transfers.
    ///
    /// - Parameter disk: The disk queue to use. `nil` is the default one.
    /// - Returns: The errors of the transfers that are not removed.
    func finishRemoval(
        of remains: [Remains], in session: SessionID, on disk: DiskQueue? = nil
    ) async throws(ServiceError) -> [TransferID: ServiceError] {
        let failures = await removeLeftovers(remains.map(Leftovers.init), on: disk)
        let gone = remains.map(\.id).filter { failures[$0] == nil }
        let now = queue.clock.wall
        let removed = try await journal.commit { transaction throws(ServiceError) in
            try transaction.forget(gone, of: session, at: now)
        }
        await forget(gone.map { ($0, session) })
        queue.take(.gone(gone))
        await hub.publish(removed)
        return failures
    }

    /// Discards the service's memory of removed transfers.
    func forget(_ transfers: [(id: TransferID, session: SessionID)]) async {
        await records.forget(transfers.map(\.id))
        await memories.forget(transfers)
    }

    /// Removes the leftover files of transfers.
    ///
    /// - Returns: The errors of the transfers that failed.
    private func removeLeftovers(_ leftovers: [Leftovers], on disk: DiskQueue?) async -> [TransferID: ServiceError] {
        // An unreadable folder contains no files known to Ferry.
        let recorded = Set(leftovers.lazy.filter(\.isRecorded).map(\.id))
        return await queue.engine.files.remove(leftovers, on: disk).filter { recorded.contains($0.key) }
    }
}

/// The results of transfers whose files are being removed, as they come.
private final class FinishedTransfers: Sendable {
    private let all = Mutex<[ActionResult]>([])

    var results: [ActionResult] { all.withLock(\.self) }

    func add(_ result: ActionResult) { all.withLock { $0.append(result) } }
}
