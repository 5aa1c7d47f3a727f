package import FerryCore
import FerryEngine
import Foundation

/// Bulk actions of a session's client.
extension LocalTransferService {
    package func act(
        _ action: SessionAction, in session: SessionID, on ids: TransferIDRuns?
    ) async throws(ServiceError) -> SessionAction.Report {
        try checkIsOpen()
        await lock(forActionsIn: session)
        defer { locks.actions.leave(session) }
        let own = try await reading { reader throws(ServiceError) in
            try reader.transfers(of: session, within: ids)
        }
        await lock(own)
        defer {
            for id in own { unlock(id) }
            schedule()
        }
        var failures = Self.unknown(ids, among: own)
        do throws(ServiceError) {
            switch action {
            case .pause: try await pause(own, of: session)
            case .start: failures += try await start(own, of: session, isNamed: ids != nil)
            case .cancel: failures += try await remove(own, of: session, .remove, sparesSucceeded: true)
            case .remove: failures += try await remove(own, of: session, .remove)
            case .removeWithFile: failures += try await remove(own, of: session, .removeWithFile)
            }
        } catch {
            noteFailure(error)
            throw error
        }
        await consider(session)
        let last = try await reading { reader throws(ServiceError) in try reader.lastEvent(of: session) }
        return SessionAction.Report(lastEvent: last, failures: failures)
    }

    static func unknown(_ ids: TransferIDRuns?, among own: [TransferID]) -> [ActionResult] {
        (ids?.unknown(among: own, atMost: SessionAction.mostUnknown) ?? []).map { id in
            ActionResult(id: id, error: ServiceError(.unknownTransfer, "There is no transfer \(id) in the session."))
        }
    }

    func reading<Value: Sendable>(
        _ body: @escaping @Sendable (any JournalReader) throws(ServiceError) -> Value
    ) async throws(ServiceError) -> Value {
        try await noting { () async throws(ServiceError) in try await journal.read(body) }
    }

    // MARK: Pause

    private func pause(_ ids: [TransferID], of session: SessionID) async throws(ServiceError) {
        configuration.reached(.actionBegins)
        let moment = clock.active
        let suspended = try await journal.commit { transaction throws(ServiceError) in
            try transaction.suspend(ids, of: session, at: moment)
        }
        configuration.reached(.actionCommitted)
        take(.restedAll(suspended.ids, session))
        // The hub holds back later events until these arrive, and a run may take long to stop.
        await hub.publish(suspended)
        await stopBriefly(suspended.ids)
    }

    // MARK: Start

    /// - Returns: Transfers that cannot continue because their secrets were discarded or their disks do not respond.
    private func start(
        _ ids: [TransferID], of session: SessionID, isNamed: Bool
    ) async throws(ServiceError) -> [ActionResult] {
        let stopping = await endOldRuns(of: ids)
        let ids = stopping.isEmpty ? ids : ids.filter { !stopping.contains($0) }
        let gone = isNamed ? try await withoutFiles(ids, of: session) : [:]
        let circumstances = circumstances(of: ids, in: session)
        configuration.reached(.actionBegins)
        let (begun, pending) = try await journal.commit { transaction throws(ServiceError) in
            let begun = try transaction.begin(ids, of: session, circumstances, gone: gone)
            return (begun, try transaction.pending(begun.events.ids))
        }
        configuration.reached(.actionCommitted)
        take(.restarted(Input.Restart(ids: begun.events.ids, session: session, pending: pending)))
        await hub.publish(begun.events)
        await notifyObstacles(of: begun.events.ids)
        return Self.lackingSecrets(begun.lacking)
            + stopping.sorted().map { ActionResult(id: $0, error: Self.stillStopping($0)) }
    }

    /// Returns the errors for finished transfers that cannot be requested again because their secrets were discarded.
    static func lackingSecrets(_ ids: [TransferID]) -> [ActionResult] {
        ids.map { ActionResult(id: $0, error: TransferRecord.lacksSecrets($0)) }
    }

    /// Waits for stopping runs, which still have facts to record.
    ///
    /// - Returns: The transfers with runs that do not end because their disks do not respond.
    func endOldRuns(of ids: [TransferID]) async -> Set<TransferID> {
        var old: [TransferID] = []
        for id in ids where queue.running.contains(id) {
            guard let record = try? await existing(id), record.outcome != nil || record.intent != .run else { continue }
            old.append(id)
        }
        return Set(await stillRunning(old))
    }

    /// Returns the succeeded transfers whose files are missing or changed.
    func withoutFiles(_ ids: [TransferID], of session: SessionID) async throws(ServiceError) -> [TransferID: Outcome] {
        let succeeded = try await reading { reader throws(ServiceError) in
            try reader.succeeded(of: session, among: ids)
        }
        var gone: [TransferID: Outcome] = [:]
        for record in succeeded where await !placed.isIntact(record) { gone[record.id] = record.outcome }
        return gone
    }

    /// Returns the circumstances of a bulk start, besides the transfers' records.
    func circumstances(of ids: [TransferID], in session: SessionID) -> BulkCommandSituation {
        var circumstances = BulkCommandSituation(clock.active)
        circumstances.delayed = Set(queue.waitingTransfers.delayed(of: session, among: Set(ids)))
        circumstances.running = Set(ids.filter { queue.running.contains($0) })
        return circumstances
    }
}
