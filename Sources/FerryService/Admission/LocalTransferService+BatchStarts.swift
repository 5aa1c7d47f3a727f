import FerryCore

/// How transfers go on with a batch.
extension LocalTransferService {
    /// Looks at the transfers that go on with a batch, and keeps their turns until the closure has returned.
    func withStarts(
        _ starts: [TransferBatch.Start], of session: SessionID,
        _ body: (BatchStarts) async throws(TransferError) -> TransferBatch.Report
    ) async throws(TransferError) -> TransferBatch.Report {
        await takeTurn(forActionsIn: session)
        defer { turns.actions.leave(session) }
        let named = starts.map(\.id)
        let found = try await reading { reader throws(TransferError) in try reader.transfers(of: session, among: named)
        }
        await takeTurns(found)
        defer {
            for id in found { leaveTurn(id) }
            schedule()
        }
        let stopping = await endOldRuns(of: found)
        let own = found.filter { !stopping.contains($0) }
        var changes: [BatchStarts.Change] = []
        var failures = Self.unknown(TransferIDRuns(named), among: found)
        failures += stopping.sorted().map { ActionResult(id: $0, error: Self.stillStopping($0)) }
        let known = Set(own)
        for start in starts where known.contains(start.id) {
            guard let change = start.change else { continue }
            do throws(TransferError) {
                let old = try await existing(start.id)
                let changed = try applying(change, to: old)
                if changed.request != old.request { changes.append(BatchStarts.Change(changed: changed, old: old)) }
            } catch {
                failures.append(ActionResult(id: start.id, error: error))
            }
        }
        let begun = BatchStarts(
            ids: own, gone: try await withoutFiles(own, of: session),
            circumstances: circumstances(of: own, in: session), changes: changes, failures: failures)
        let report = try await body(begun)
        await consider(session)
        return report
    }

    /// Lets the queue follow what the journal says of transfers that go on.
    func goneOn(_ starts: BatchStarts, _ begun: EventRun, _ pending: [PendingTransfer]) async {
        queue.lines.leave(Set(begun.ids), of: begun.session)
        lineUp(pending)
        await hub.publish(begun)
        let again = Set(begun.ids)
        for change in starts.changes where !again.contains(change.changed.id) {
            await follow(change.changed, replacing: change.old)
        }
        await tellObstacles(of: begun.ids)
    }
}
