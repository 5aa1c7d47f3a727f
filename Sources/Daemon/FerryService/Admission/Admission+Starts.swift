import FerryCore
import FerryQueue
import FerryRules

/// Starting existing transfers with a batch.
extension Admission {
    /// Inspects the transfers to start with a batch.
    ///
    /// - Returns: `nil` if there are none.
    func inspect(
        _ starts: [TransferBatch.Start], of session: SessionID
    ) async throws(ServiceError) -> BatchStarts? {
        guard !starts.isEmpty else { return nil }
        let named = TransferIDRuns(starts.map(\.id))
        let own = try await journal.read { reader throws(ServiceError) in
            try reader.transfers(of: session, within: named)
        }
        return BatchStarts(
            session: session, ids: own, gone: try await actions.withoutFiles(own, of: session),
            changes: starts.compactMap { start in start.change.map { (start.id, $0) } },
            failures: Actions.unknown(named, among: own))
    }

    /// Holds the transfers to start for the commit of their batch, once other commits on them, stopping runs and work on
    /// their files have ended.
    ///
    /// - Returns: `nil` if there are none.
    func hold(_ starts: BatchStarts?) async -> HeldStarts? {
        guard let starts else { return nil }
        let live = (try? await journal.records(of: starts.ids.filter(queue.running.contains))) ?? []
        let stopping = live.filter { !$0.isEligible }.map(\.id)
        let late = Set(await queue.stillBusy(stopping + starts.ids.filter { queue.held.contains($0, for: .files) }))
        let ids = starts.ids.filter { !late.contains($0) }
        await queue.holdForCommit(ids)
        return HeldStarts(
            starts: starts, ids: ids, late: late,
            situation: queue.situation(of: ids, in: starts.session))
    }

    /// Updates the queue with the transfers that the journal has started.
    func goneOn(_ begun: HeldStarts.Begun) async {
        let events = begun.events
        queue.take(.restarted(Input.Restart(ids: events.ids, session: events.session, pending: begun.pending)))
        await hub.publish(events)
        let again = Set(events.ids)
        for change in begun.changes where !again.contains(change.changed.id) {
            await queue.takeInOrder(.changed(change.changed, replacing: change.old))
        }
        await self.events.notifyObstacles(of: events.ids)
    }
}
