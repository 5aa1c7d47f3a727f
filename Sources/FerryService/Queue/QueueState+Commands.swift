import FerryCore

/// Applying users' commands after they were committed.
extension QueueState {
    /// Stops attempts that have a slot. No others follow.
    mutating func stop(_ ids: [TransferID]) -> [Effect] { running.stop(ids).map { .stop($0, nil) } }

    /// Queues resumed or restarted transfers, and lifts delays requested by servers.
    mutating func enqueue(_ restart: Input.Restart, at moment: Moment) -> [Effect] {
        waitingTransfers.leave(Set(restart.ids), of: restart.session)
        for id in restart.ids { waitingTransfers.release(by: id) }
        for origin in Set(restart.pending.map(\.origin)) { waitingTransfers.release(origin) }
        return enqueue(restart.pending, at: moment)
    }

    /// Applies a changed request to the running or waiting transfer.
    mutating func follow(_ changed: TransferRecord, replacing old: TransferRecord, at moment: Moment) -> [Effect] {
        let id = changed.id
        let hasNewAddress = changed.request.hasOtherAddress(than: old.request)
        guard !running.contains(id) else {
            running.follow(id, changed.request)
            var effects: [Effect] = [.follow(id, changed.request)]
            // A new address is requested at once. Its response decides whether the bytes on disk are kept.
            if hasNewAddress { effects.append(.stop(id, nil)) }
            guard changed.request.network != old.request.network else { return effects }
            return effects + depend(on: sessions.key(changed)) + stopIfForbidden(id)
        }
        let hasNewBegin = changed.request.notBefore != old.request.notBefore
        let former = sessions.key(old)
        // The session's policy may hide that the transfer belongs to another journal queue, one that is not being read.
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

    /// Discards state of finished or removed transfers.
    mutating func forget(_ ids: some Collection<TransferID>, at moment: Moment) -> [Effect] {
        // Their freed disk space may unblock others.
        var mayStart = waitingTransfers.wake(waitingFor: .disk, at: moment.clock)
        for id in ids {
            // Rows being read or stored are older than its outcome.
            waitingTransfers.touch(id)
            noteChange(of: id)
            changes.overtake(id)
            running.forget(id)
            if waitingTransfers.release(by: id) { mayStart = true }
        }
        return mayStart ? planSchedule() : []
    }
}
