import FerryCore
import FerryEngine
import Foundation

/// Removing transfers with all their data.
extension LocalTransferService {
    /// Removes transfers of a session. The caller holds their locks.
    ///
    /// - Returns: Transfers with files that could not be removed. Their removal is retried later.
    func remove(
        _ ids: [TransferID], of session: SessionID, _ intent: TransferIntent, sparesSucceeded: Bool = false
    ) async throws(ServiceError) -> [ActionResult] {
        // Dequeue before the transaction: none may start to write while its row is removed.
        let (removed, begun) = try await withoutStarts(of: ids, in: session, restores: false) {
            () async throws(ServiceError) in
            let live = Set(ids.filter(running.contains))
            configuration.reached(.actionBegins)
            let now = clock.wall
            return try await journal.commit { transaction throws(ServiceError) in
                try transaction.remove(
                    ids, of: session, intent: intent, sparesSucceeded: sparesSucceeded, live: live, at: now)
            }
        }
        configuration.reached(.actionCommitted)
        // A transfer that was submitted or read from the journal meanwhile may be queued again.
        take(.restedAll(ids, session))
        forget(removed.ids, of: session)
        // The hub holds back later events until these arrive, and a run may take long to stop.
        await hub.publish(removed)
        // To the user a hanging transfer is removed. Its files are removed once its run has ended.
        let left = Set(await stopBriefly(begun))
        let atRest = begun.filter { !left.contains($0) }
        return try await finishRemovals(of: atRest, in: session, sparesSucceeded: sparesSucceeded)
    }

    /// Completes removals already stored in the journal. Failed ones are retried later.
    ///
    /// - Parameter limit: How long the disk may take. `nil` waits forever.
    /// - Returns: Transfers that are not removed yet: with an error if the removal failed, with a state if the disk has
    ///   not responded.
    func finishRemovals(
        of ids: [TransferID], in session: SessionID, sparesSucceeded: Bool, within limit: Duration? = nil
    ) async throws(ServiceError) -> [ActionResult] {
        guard !ids.isEmpty else { return [] }
        do throws(ServiceError) {
            let left = try await tryToFinishRemovals(
                of: ids, in: session, sparesSucceeded: sparesSucceeded, within: limit)
            if left.contains(where: { $0.error != nil }) { cleanUpLater() }
            return left
        } catch {
            cleanUpLater()
            throw error
        }
    }

    private func tryToFinishRemovals(
        of ids: [TransferID], in session: SessionID, sparesSucceeded: Bool, within limit: Duration?
    ) async throws(ServiceError) -> [ActionResult] {
        var remains = try await journal.read { reader throws(ServiceError) in try reader.remains(of: ids) }
        if sparesSucceeded {
            // A transfer that succeeded while being stopped has its own event.
            let arrived = remains.filter(\.hasSucceeded).map(\.id)
            if !arrived.isEmpty {
                try await journal.commit { transaction throws(ServiceError) in try transaction.keep(arrived) }
                remains.removeAll { arrived.contains($0.id) }
            }
        }
        return try await finishRemoval(of: remains, in: session, within: limit)
    }

    /// Removes the files of transfers at rest, then the transfers.
    ///
    /// - Parameters:
    ///   - queue: The disk queue to use. `nil` is the default one.
    ///   - limit: How long the disk may take. `nil` waits forever.
    /// - Returns: Transfers that are not removed, as in ``finishRemovals(of:in:sparesSucceeded:within:)``.
    func finishRemoval(
        of remains: [Remains], in session: SessionID, on queue: DiskQueue? = nil, within limit: Duration? = nil
    ) async throws(ServiceError) -> [ActionResult] {
        guard let failures = await removeLeftovers(remains.map(Leftovers.init), on: queue, within: limit) else {
            return remains.map { ActionResult(id: $0.id, state: $0.hasSucceeded ? .succeeded : .suspended) }
        }
        let gone = remains.map(\.id).filter { failures[$0] == nil }
        let now = clock.wall
        let removed = try await journal.commit { transaction throws(ServiceError) in
            try transaction.forget(gone, of: session, at: now)
        }
        forget(gone, of: session)
        await hub.publish(removed)
        return failures.sorted { $0.key < $1.key }.map { ActionResult(id: $0.key, error: $0.value) }
    }

    /// Removes the leftover files of transfers.
    ///
    /// - Returns: The errors of the transfers that failed. `nil` if the disk has not responded within the limit. The
    ///   removal is then retried once it has.
    func removeLeftovers(
        _ leftovers: [Leftovers], on queue: DiskQueue?, within limit: Duration?
    ) async -> [TransferID: ServiceError]? {
        let work = Task(name: "files of transfers") { await engine.remove(leftovers, on: queue) }
        if let limit, await !Patience.wait(atMost: limit, by: clock, for: { _ = await work.value }) {
            Task(name: "files of transfers whose disk is slow") {
                _ = await work.value
                cleanUp()
            }
            return nil
        }
        // An unreadable folder contains no files known to Ferry.
        let recorded = Set(leftovers.lazy.filter(\.isRecorded).map(\.id))
        return await work.value.filter { recorded.contains($0.key) }
    }

    /// Discards in-memory state of removed transfers.
    private func forget(_ ids: [TransferID], of session: SessionID) {
        let memory = runtime.memories[session]
        for id in ids {
            starting.ahead.forget(id)
            memory?.forget(id)
        }
        take(.gone(ids))
    }
}

extension Leftovers {
    init(_ remains: Remains) {
        let request = remains.isPartialNameForeign ? nil : remains.request
        self.init(
            id: remains.id, partial: remains.partial, copy: remains.copy, placed: remains.placed,
            partialFolder: request.map { $0.partialFolder ?? Destination.folder(of: $0) })
    }

    /// Collects the files of a transfer at rest.
    ///
    /// - Parameter withFile: Whether to include its placed file. A file in the spool is always included.
    init(_ record: TransferRecord, withFile: Bool = false) {
        var placed: PlacementIntent?
        if withFile || record.request.spooled, case .succeeded(let success) = record.outcome, !success.unchanged {
            placed = record.facts.placement
        }
        let folder = record.request.partialFolder ?? Destination.folder(of: record.request)
        // A file with the usual name may be unrecorded after a crash. Skip it if it is known to belong to another
        // program.
        let mayBeUnrecorded = !record.facts.partialNameIsForeign && !(record.outcome?.state == .succeeded)
        self.init(
            id: record.id, partial: record.facts.partial, copy: record.facts.copy, placed: placed,
            partialFolder: mayBeUnrecorded ? folder : nil)
    }
}
