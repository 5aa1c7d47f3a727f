import FerryCore
import FerryEngine
import FerryQueue
import FerryRules
import Foundation
import Synchronization

/// Removing the files of canceled and removed transfers, and then the transfers.
extension LocalTransferService {
    // MARK: After an action

    /// Does work on the files of held transfers, and waits for it a few seconds at most. It goes on if its disk does not
    /// respond by then.
    func inTime(
        _ work: @escaping @Sendable (LocalTransferService, FinishedTransfers) async -> Void
    ) async -> Act.News {
        let done = FinishedTransfers()
        let task = Task(name: "files of transfers") { await work(self, done) }
        await Patience.wait(atMost: .seconds(configuration.answerLimit), by: clock) { await task.value }
        return .finished(done.results.withLock { $0 })
    }

    /// Removes the files of canceled transfers, stores their outcomes, and releases the transfers.
    func finishCancel(_ records: [TransferRecord], _ done: FinishedTransfers) async {
        _ = await concurrently(records) { service, record in await service.finishCancel(record, done) }
    }

    private func finishCancel(_ record: TransferRecord, _ done: FinishedTransfers) async {
        do throws(ServiceError) {
            try await finishCancel(record)
            done.add(ActionResult(id: record.id, state: record.outcome?.state ?? .canceled))
        } catch {
            done.add(failed(record.id, error))
        }
        take(.release([record.id], .files))
    }

    /// Removes a canceled transfer's files and records its outcome.
    ///
    /// - Parameter queue: The disk queue that removes them. `nil` is the default one.
    func finishCancel(_ record: TransferRecord, on queue: DiskQueue? = nil) async throws(ServiceError) {
        _ = try await finish(record) { stopped throws(ServiceError) in
            var machine = TransferMachine(stopped)
            guard case .finish(let outcome) = machine.runStopped() else { return nil }
            var ended = machine.record
            let leftovers = Leftovers(stopped)
            if let error = await removeLeftovers([leftovers], on: queue)[leftovers.id] { throw error }
            ended.facts.partial = nil
            ended.facts.copy = nil
            ended.facts.needsTruncation = false
            return (ended, outcome)
        }
    }

    /// Stores that removed transfers were canceled, removes them with their files, and releases them.
    func finishRemoval(_ records: [TransferRecord], _ done: FinishedTransfers) async {
        let failed = await concurrently(records) { service, record in await service.storeCancel(record) }
        for result in failed { done.add(result) }
        take(.release(failed.map(\.id), .files))
        let failures = Set(failed.map(\.id))
        let stored = records.filter { !failures.contains($0.id) }
        _ = await concurrently(Array(Dictionary(grouping: stored, by: \.request.session))) { service, own in
            await service.finishRemovals(of: own.value.map(\.id), in: own.key, sparesSucceeded: false, done)
        }
    }

    /// Stores that a removed transfer was canceled, if it had not ended.
    ///
    /// - Returns: The error if that failed, else `nil`.
    private func storeCancel(_ record: TransferRecord) async -> ActionResult? {
        do throws(ServiceError) {
            _ = try await finish(record) { stopped in
                var machine = TransferMachine(stopped)
                guard case .finish(let outcome) = machine.runStopped() else { return nil }
                return (machine.record, outcome)
            }
            return nil
        } catch {
            return failed(record.id, error)
        }
    }

    private func failed(_ id: TransferID, _ error: ServiceError) -> ActionResult {
        noteFailure(error)
        cleanUpLater()
        return ActionResult(id: id, error: error)
    }

    // MARK: Removal

    /// Completes removals already stored in the journal, and releases the transfers. Failed removals are retried later.
    func finishRemovals(
        of ids: [TransferID], in session: SessionID, sparesSucceeded: Bool, _ done: FinishedTransfers
    ) async {
        do throws(ServiceError) {
            let failures = try await tryToFinishRemovals(of: ids, in: session, sparesSucceeded: sparesSucceeded)
            if !failures.isEmpty { cleanUpLater() }
            for id in ids { done.add(ActionResult(id: id, error: failures[id])) }
        } catch {
            for id in ids { done.add(failed(id, error)) }
        }
        take(.release(ids, .files))
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
    /// - Parameter queue: The disk queue to use. `nil` is the default one.
    /// - Returns: The errors of the transfers that are not removed.
    func finishRemoval(
        of remains: [Remains], in session: SessionID, on queue: DiskQueue? = nil
    ) async throws(ServiceError) -> [TransferID: ServiceError] {
        let failures = await removeLeftovers(remains.map(Leftovers.init), on: queue)
        let gone = remains.map(\.id).filter { failures[$0] == nil }
        let now = clock.wall
        let removed = try await journal.commit { transaction throws(ServiceError) in
            try transaction.forget(gone, of: session, at: now)
        }
        for id in gone { forget(id, of: session) }
        take(.gone(gone))
        await hub.publish(removed)
        return failures
    }

    /// Removes the leftover files of transfers.
    ///
    /// - Returns: The errors of the transfers that failed.
    private func removeLeftovers(_ leftovers: [Leftovers], on queue: DiskQueue?) async -> [TransferID: ServiceError] {
        // An unreadable folder contains no files known to Ferry.
        let recorded = Set(leftovers.lazy.filter(\.isRecorded).map(\.id))
        return await engine.remove(leftovers, on: queue).filter { recorded.contains($0.key) }
    }

    /// Discards the service's memory of a removed transfer.
    func forget(_ id: TransferID, of session: SessionID) {
        starting.ahead.forget(id)
        runtime.memories[session]?.forget(id)
    }
}

extension Leftovers {
    init(_ remains: Remains) {
        let request = remains.isPartialNameForeign ? nil : remains.request
        self.init(
            id: remains.id, partial: remains.partial, copy: remains.copy, placed: remains.placed,
            partialFolder: request.map { $0.file.partialFolder ?? Destination.folder(of: $0) })
    }

    /// Collects the files of a transfer at rest.
    ///
    /// - Parameter withFile: Whether to include its placed file. A file in the spool is always included.
    init(_ record: TransferRecord, withFile: Bool = false) {
        var placed: PlacementIntent?
        if withFile || record.request.file.spooled, case .succeeded(let success) = record.outcome, !success.unchanged {
            placed = record.facts.placement
        }
        let folder = record.request.file.partialFolder ?? Destination.folder(of: record.request)
        // A file with the usual name may be unrecorded after a crash. Skip it if it is known to belong to another
        // program.
        let mayBeUnrecorded = !record.facts.partialNameIsForeign && !(record.outcome?.state == .succeeded)
        self.init(
            id: record.id, partial: record.facts.partial, copy: record.facts.copy, placed: placed,
            partialFolder: mayBeUnrecorded ? folder : nil)
    }
}

/// The results of transfers whose files are being removed, as they come.
final class FinishedTransfers: Sendable {
    let results = Mutex<[ActionResult]>([])

    func add(_ result: ActionResult) { results.withLock { $0.append(result) } }
}
