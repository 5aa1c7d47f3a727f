import FerryCore
import FerryRules

/// The parts of the queue that an action looks at.
struct ActRooms {
    let running: Running
    let held: HeldTransfers
    let waitingTransfers: WaitingTransfers
    /// The last id assigned by an earlier process.
    let lastOfOthers: TransferID
    let now: ActiveTime.Instant

    /// Whether a transfer has a slot, or an operation works on its files.
    func isBusy(_ id: TransferID) -> Bool { running.contains(id) || held.contains(id, for: .files) }

    /// Returns what a command depends on besides the rows.
    func situation(of ids: [TransferID], in session: SessionID?) -> BulkCommandSituation {
        var situation = BulkCommandSituation(now)
        let delayed = session.map { waitingTransfers.delayed(of: $0, among: Set(ids)) }
        situation.delayed = Set(delayed ?? ids.filter { waitingTransfers.delay(of: $0) != nil })
        situation.running = Set(ids.filter(isBusy))
        return situation
    }

    /// Cancels a transfer that never ran, so that there is no run to stop and no file to remove.
    ///
    /// - Returns: Nil for any other transfer. An earlier process may have run one without recording it.
    func canceled(_ record: TransferRecord) -> (record: TransferRecord, outcome: Outcome)? {
        guard record.attempts == 0, record.facts.partial == nil, record.id > lastOfOthers, !running.contains(record.id),
            !held.contains(record.id), !record.intent.endsTransfer
        else { return nil }
        var machine = TransferMachine(record)
        guard case .stop = machine.perform(.cancel, at: CommandSituation(now: now)),
            case .finish(let outcome) = machine.runStopped()
        else { return nil }
        return (machine.record, outcome)
    }
}
