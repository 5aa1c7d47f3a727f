import FerryCore
import FerryEngine
import Foundation

/// How transfers are forgotten with all that they have.
extension LocalTransferService {
    /// Forgets transfers of a session, whose turns are taken.
    ///
    /// - Returns: Transfers whose files could not be removed; their removal is repeated later.
    func remove(
        _ ids: [TransferID], of session: SessionID, _ intent: TransferIntent, sparesSucceeded: Bool = false
    ) async throws(ServiceError) -> [ActionResult] {
        // Out of the line before the transaction: none of them begins to write while its row goes.
        let (removed, begun) = try await withoutStarts(of: ids, in: session, comesBack: false) {
            () async throws(ServiceError) in
            let live = Set(ids.filter(running.contains))
            configuration.reached(.actionBegins)
            let now = Date()
            return try await journal.commit { transaction throws(ServiceError) in
                try transaction.remove(
                    ids, of: session, intent: intent, sparesSucceeded: sparesSucceeded, live: live, at: now)
            }
        }
        configuration.reached(.actionCommitted)
        forget(removed.ids, of: session)
        // One that was read from the journal meanwhile stands in line again.
        take(.restedAll(begun, session))
        // The hub publishes no later event before these, and a run may take long to stop.
        await hub.publish(removed)
        // What hangs is gone for the user, and its files follow once its run has ended.
        let left = Set(await stopBriefly(begun))
        let atRest = begun.filter { !left.contains($0) }
        return try await finishRemovals(of: atRest, in: session, sparesSucceeded: sparesSucceeded)
    }

    /// Forgets transfers at rest whose removal is in the journal; what cannot be removed is tried again later.
    ///
    /// - Parameter limit: how long the disk may take; nil is for ever.
    /// - Returns: Transfers that are not forgotten yet: with an error where that failed, with a state where the disk has not
    ///   answered.
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
            // What arrived while it was being stopped has its own event.
            let arrived = remains.filter(\.hasSucceeded).map(\.id)
            if !arrived.isEmpty {
                try await journal.commit { transaction throws(ServiceError) in try transaction.keep(arrived) }
                remains.removeAll { arrived.contains($0.id) }
            }
        }
        return try await finishRemoval(of: remains, in: session, within: limit)
    }

    /// Removes the files of transfers that are at rest, and forgets them.
    ///
    /// - Parameters:
    ///   - queue: its threads do the work; nil is the usual queue.
    ///   - limit: how long the disk may take; nil is for ever.
    /// - Returns: Transfers that are not forgotten, as ``finishRemovals(of:in:sparesSucceeded:within:)`` does.
    func finishRemoval(
        of remains: [Remains], in session: SessionID, on queue: DiskQueue? = nil, within limit: Duration? = nil
    ) async throws(ServiceError) -> [ActionResult] {
        guard let failures = await removeLeftovers(remains.map(Leftovers.init), on: queue, within: limit) else {
            return remains.map { ActionResult(id: $0.id, state: $0.hasSucceeded ? .succeeded : .suspended) }
        }
        let gone = remains.map(\.id).filter { failures[$0] == nil }
        let now = Date()
        let removed = try await journal.commit { transaction throws(ServiceError) in
            try transaction.forget(gone, of: session, at: now)
        }
        forget(gone, of: session)
        await hub.publish(removed)
        return failures.sorted { $0.key < $1.key }.map { ActionResult(id: $0.key, error: $0.value) }
    }

    /// Removes what transfers have left.
    ///
    /// - Returns: why that failed for some; nil if the disk has not answered within the limit. Then the transfers are looked at
    ///   again once it has.
    func removeLeftovers(
        _ leftovers: [Leftovers], on queue: DiskQueue?, within limit: Duration?
    ) async -> [TransferID: ServiceError]? {
        let work = Task(name: "files of transfers") { await engine.remove(leftovers, on: queue) }
        if let limit, await !Patience.wait(atMost: limit, for: { _ = await work.value }) {
            Task(name: "files of transfers whose disk is slow") {
                _ = await work.value
                cleanUp()
            }
            return nil
        }
        // A folder that cannot be looked at holds nothing that Ferry knows of.
        let recorded = Set(leftovers.lazy.filter(\.isRecorded).map(\.id))
        return await work.value.filter { recorded.contains($0.key) }
    }

    /// Forgets what is kept in memory of transfers that are gone.
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

    /// What a transfer at rest has on disk.
    ///
    /// - Parameter withFile: whether the file that it has placed goes too; one that lies in the spool always does.
    init(_ record: TransferRecord, withFile: Bool = false) {
        var placed: PlacementIntent?
        if withFile || record.request.spooled, case .succeeded(let success) = record.outcome, !success.unchanged {
            placed = record.facts.placement
        }
        let folder = record.request.partialFolder ?? Destination.folder(of: record.request)
        // A file of the usual name was never recorded, as after a crash, unless it is known to be another program's.
        let mayBeUnrecorded = !record.facts.partialNameIsForeign && !(record.outcome?.state == .succeeded)
        self.init(
            id: record.id, partial: record.facts.partial, copy: record.facts.copy, placed: placed,
            partialFolder: mayBeUnrecorded ? folder : nil)
    }
}
