import FerryCore
import FerryEngine

/// What attempts tell, from their runs to their ends.
extension QueueState {
    mutating func began(_ id: TransferID, _ record: TransferRecord, at moment: Moment) -> [Effect] {
        bound(record, at: moment)
        let changed = running.begin(id, record)
        var effects: [Effect] = changed.map { [.follow(id, $0)] } ?? []
        let isElsewhere = changed?.hasOtherAddress(than: record.request) == true
        // What was stopped before there was a run waits for its end; a new address is asked by the next attempt.
        if running.course(of: id) != .goesOn || isElsewhere { effects.append(.stop(id, nil)) }
        return effects + stopIfForbidden(id)
    }

    /// Forgets what was kept for the next attempt of a transfer whose end is stored.
    ///
    /// - Parameter size: how large its file is, if it has one.
    mutating func finished(_ id: TransferID, _ size: Int64?) -> [Effect] {
        if let size, let key = running.key(of: id) { running.noteSize(size, of: key.origin) }
        return forget(CollectionOfOne(id))
    }

    mutating func ended(_ id: TransferID, _ next: NextTry?, at moment: Moment) -> [Effect] {
        let (next, wasLeft) = running.end(id, next)
        var effects: [Effect] = wasLeft ? [.cleanUp] : []
        guard let next, phase != .ending else { return effects }
        effects += lineUp(
            Input.Eligible(record: next.record, delay: next.delay, reason: next.reason, error: next.error), at: moment)
        // Its alarm may have rung between the end of its run and this.
        bound(next.record, at: moment)
        effects.append(.tellWaiting(next.record))
        if next.reason == .authentication { effects.append(.tellApp(next.record.request.session)) }
        return effects
    }
}
