import FerryCore

/// Starting existing transfers with a batch.
extension LocalTransferService {
    /// Inspects the transfers to start with a batch, and holds their locks until the closure returns.
    func withStarts(
        _ starts: [TransferBatch.Start], of session: SessionID,
        _ body: (BatchStarts) async throws(ServiceError) -> TransferBatch.Report
    ) async throws(ServiceError) -> TransferBatch.Report {
        await lock(forActionsIn: session)
        defer { locks.actions.leave(session) }
        let named = starts.map(\.id)
        let found = try await reading { reader throws(ServiceError) in try reader.transfers(of: session, among: named)
        }
        await lock(found)
        defer {
            for id in found { unlock(id) }
            schedule()
        }
        let stopping = await endOldRuns(of: found)
        let own = found.filter { !stopping.contains($0) }
        var failures = Self.unknown(TransferIDRuns(named), among: found)
        failures += stopping.sorted().map { ActionResult(id: $0, error: .stillStopping($0)) }
        let known = Set(own)
        let changes = starts.compactMap { start in
            known.contains(start.id) ? start.change.map { (start.id, $0) } : nil
        }
        let begun = BatchStarts(
            ids: own, gone: try await withoutFiles(own, of: session),
            circumstances: queue.situation(of: own, in: session, at: moment), changes: changes, failures: failures)
        let report = try await body(begun)
        await consider(session)
        return report
    }

    /// Waits for stopping runs, which still have facts to record.
    ///
    /// - Returns: The transfers with runs that do not end because their disks do not respond.
    private func endOldRuns(of ids: [TransferID]) async -> Set<TransferID> {
        let live = (try? await records(of: ids.filter(running.contains))) ?? []
        return Set(await stillRunning(live.filter { !$0.isEligible }.map(\.id)))
    }

    /// Returns the errors of the transfers that did not start: their secrets were discarded, or their runs have not ended.
    static func failures(of begun: BegunTransfers) -> [ActionResult] {
        begun.lacking.map { ActionResult(id: $0, error: TransferRecord.lacksSecrets($0)) }
            + begun.postponed.map { ActionResult(id: $0, error: .stillStopping($0)) }
    }

    /// Updates the queue with the transfers that the journal has started.
    func goneOn(_ begun: BatchStarts.Begun) async {
        let events = begun.transfers.events
        take(.restarted(Input.Restart(ids: events.ids, session: events.session, pending: begun.pending)))
        await hub.publish(events)
        let again = Set(events.ids)
        for change in begun.changes where !again.contains(change.changed.id) {
            await follow(change.changed, replacing: change.old)
        }
        await notifyObstacles(of: events.ids)
    }
}
