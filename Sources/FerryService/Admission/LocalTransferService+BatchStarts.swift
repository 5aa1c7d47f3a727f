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
        failures += stopping.sorted().map { ActionResult(id: $0, error: Self.stillStopping($0)) }
        let known = Set(own)
        let changes = starts.compactMap { start in
            known.contains(start.id) ? start.change.map { (start.id, $0) } : nil
        }
        let begun = BatchStarts(
            ids: own, gone: try await withoutFiles(own, of: session),
            circumstances: circumstances(of: own, in: session), changes: changes, failures: failures)
        let report = try await body(begun)
        await consider(session)
        return report
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
