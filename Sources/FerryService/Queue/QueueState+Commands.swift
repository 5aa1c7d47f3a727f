import FerryCore

/// What users' wishes change once they are in the journal.
extension QueueState {
    /// Stops attempts that have a slot; no others follow.
    mutating func stop(_ ids: [TransferID]) -> [Effect] { running.stop(ids).map { .stop($0, nil) } }

    /// Puts transfers in line that go on, or begin again, and lifts what servers have told them.
    mutating func enqueue(_ restart: Input.Restart, at moment: Moment) -> [Effect] {
        waitingTransfers.leave(Set(restart.ids), of: restart.session)
        for id in restart.released { waitingTransfers.release(by: id) }
        return enqueue(restart.pending, at: moment)
    }

    /// Lets what runs or waits follow a request that has changed.
    mutating func follow(_ changed: TransferRecord, replacing old: TransferRecord, at moment: Moment) -> [Effect] {
        let id = changed.id
        let hasNewAddress = changed.request.hasOtherAddress(than: old.request)
        guard !running.contains(id) else {
            running.follow(id, changed.request)
            var effects: [Effect] = [.follow(id, changed.request)]
            // A new address is asked at once; the bytes on disk are judged by its answer.
            if hasNewAddress { effects.append(.stop(id, nil)) }
            guard changed.request.network != old.request.network else { return effects }
            return effects + depend(on: sessions.key(changed)) + stopIfForbidden(id)
        }
        let hasNewBegin = changed.request.notBefore != old.request.notBefore
        let former = sessions.key(old)
        // Its session's policy may hide that it now stands in another line of the journal, which is not being read.
        let hasNewLine =
            sessions.key(changed) != former || StoredQueueKey.word(of: changed) != StoredQueueKey.word(of: old)
        guard changed.isEligible, hasNewAddress || hasNewBegin || hasNewLine else { return [] }
        let waiting = waitingTransfers.delay(of: id)
        waitingTransfers.leave(id, former)
        let isOver = hasNewAddress || waiting?.reason == .beginDate
        let rest = isOver ? 0 : waiting?.rest(at: moment.clock) ?? 0
        return enqueue(
            Input.Eligible(record: changed, delay: rest, reason: waiting?.reason ?? .retry), at: moment)
    }

    /// Forgets what is kept of transfers that have ended, or are gone.
    mutating func forget(_ ids: some Collection<TransferID>, at moment: Moment) -> [Effect] {
        // What they have left room for may have been in the way of others.
        waitingTransfers.wake(waitingFor: .disk, at: moment.clock)
        var isReleased = false
        for id in ids {
            // What is being read or stored of it is from before its end.
            waitingTransfers.touch(id)
            noteChange(of: id)
            changes.overtake(id)
            running.forget(id)
            if waitingTransfers.release(by: id) { isReleased = true }
        }
        return isReleased ? planSchedule() : []
    }
}
