import FerryCore

/// Starting existing transfers with a batch.
extension LocalTransferService {
    /// Inspects the transfers to start with a batch, and holds them until the closure returns.
    func withStarts(
        _ starts: [TransferBatch.Start], of session: SessionID,
        _ body: (BatchStarts) async throws(ServiceError) -> TransferBatch.Report
    ) async throws(ServiceError) -> TransferBatch.Report {
        let named = starts.map(\.id)
        let found = try await reading { reader throws(ServiceError) in try reader.transfers(of: session, among: named)
        }
        let (own, circumstances) = await hold(found, of: session)
        defer { take(.release(own, .commit)) }
        let known = Set(own)
        var failures = Self.unknown(TransferIDRuns(named), among: found)
        failures += found.filter { !known.contains($0) }.map { ActionResult(id: $0, error: .stillStopping($0)) }
        let changes = starts.compactMap { start in
            known.contains(start.id) ? start.change.map { (start.id, $0) } : nil
        }
        let begun = BatchStarts(
            ids: own, gone: try await withoutFiles(own, of: session), circumstances: circumstances, changes: changes,
            failures: failures)
        let report = try await body(begun)
        await consider(session)
        return report
    }

    /// Holds transfers, once other operations on them have ended, and stopping runs, which still have facts to record.
    ///
    /// - Returns: The held transfers. The others do not become free because their disks do not respond.
    private func hold(
        _ ids: [TransferID], of session: SessionID
    ) async -> (held: [TransferID], situation: BulkCommandSituation) {
        let live = (try? await records(of: ids.filter(running.contains))) ?? []
        let stopping = live.filter { !$0.isEligible }.map(\.id)
        let late = Set(await stillBusy(stopping + ids.filter { queue.held.contains($0, for: .files) }))
        let own = ids.filter { !late.contains($0) }
        await holdForCommit(own)
        let situation = queue.situation(of: own, in: session, at: moment)
        return (own, situation)
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
