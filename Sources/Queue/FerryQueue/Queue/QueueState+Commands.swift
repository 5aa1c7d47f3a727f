import FerryCore
import FerryRules

/// Users' actions, and applying their commands after they were committed.
extension QueueState {
    // MARK: Actions

    /// Begins an action. The last effect is its first step.
    mutating func begin(_ act: Act, at moment: Moment) -> [Effect] {
        lastTicket += 1
        return [proceed(act, lastTicket, at: moment)]
    }

    /// Applies the result of an action's step. The last effect is its next step.
    mutating func take(_ news: Act.News, of ticket: Int, at moment: Moment) -> [Effect] {
        guard var act = actions.removeValue(forKey: ticket) else { return [] }
        let held = act.held
        act.held = []
        act.take(news)
        var effects: [Effect] = []
        switch news {
        case .canceled(let ids): for id in ids { if let record = act.records[id] { effects += rest(record) } }
        case .committed(let committed):
            for id in act.ids { noteChange(of: id) }
            effects += apply(committed, of: act, at: moment)
        case .waited(let late):
            if act.command.isStop {
                running.leave(late)
                self.held.leave(late)
            }
        case .inspected, .published, .released, .read, .finished, .failed: break
        }
        effects += take(.release(held, .commit), at: moment)
        return effects + [proceed(act, ticket, at: moment)]
    }

    func actRooms(at moment: Moment) -> ActRooms {
        ActRooms(
            running: running, held: held, waitingTransfers: waitingTransfers, lastOfOthers: ids.lastOfOthers,
            now: moment.active)
    }

    private mutating func proceed(_ act: Act, _ ticket: Int, at moment: Moment) -> Effect {
        var act = act
        let rooms = actRooms(at: moment)
        let step = act.next(rooms)
        switch step {
        case .cancel(let ended): act.held = ended.map(\.record.id)
        case .commit(let commit): act.held = commit.ids
        // Released when their files are removed, which may be after the answer.
        case .finishCancel(let records), .finishRemoval(let records): held.hold(records.map(\.id), for: .files)
        case .remove(let ids, _, _): held.hold(ids, for: .files)
        case .answer(let done): held.hold(done.held, for: .files)
        case .inspect, .publish, .awaitReleases, .awaitRuns, .read: break
        }
        if case .answer = step { return .act(ticket, step) }
        held.hold(act.held, for: .commit)
        actions[ticket] = act
        return .act(ticket, step)
    }

    // MARK: Commits

    /// Applies the consequences of a committed command.
    private mutating func apply(_ committed: Act.Committed, of act: Act, at moment: Moment) -> [Effect] {
        switch committed {
        case .each(let outcomes):
            return outcomes.flatMap { apply($0.outcome, of: $0.id, isStop: act.command.isStop, at: moment) }
        case .stopped(let stopped):
            return stopped.flatMap { one in
                leave(Set(one.ids).union(one.events.ids), of: one.events.session)
                return stop(one.ids) + (one.events.kind == .removed ? forget(one.events.ids, at: moment) : [])
            }
        case .begun(let begun, let pending):
            let restart = Input.Restart(ids: begun.events.ids, session: begun.events.session, pending: pending)
            return enqueue(restart, at: moment) + planSchedule()
        }
    }

    private mutating func apply(
        _ outcome: CommandOutcome, of id: TransferID, isStop: Bool, at moment: Moment
    ) -> [Effect] {
        switch outcome {
        case .done(let event, let record) where isStop:
            let effects = rest(record)
            return event?.kind == .removed ? effects + forget([id], at: moment) : effects
        case .done(_, let record):
            release(record)
            return resume(record, at: moment) + planSchedule()
        case .none(let record) where !isStop:
            release(record)
            return planSchedule()
        case .none, .postponed, .refused, .unknown: return []
        }
    }

    // MARK: Consequences

    /// Stops attempts that have a slot. No others follow.
    mutating func stop(_ ids: [TransferID]) -> [Effect] { running.stop(ids).map { .stop($0, nil) } }

    /// Takes a transfer that is not to run out of its queue, and stops its attempt.
    mutating func rest(_ record: TransferRecord) -> [Effect] {
        waitingTransfers.leave(record.id, sessions.key(record))
        held.discard(record.id)
        return stop([record.id])
    }

    /// Queues a transfer that is to run again.
    mutating func resume(_ record: TransferRecord, at moment: Moment) -> [Effect] {
        let effects = enqueue(Input.Eligible(record: record), at: moment)
        bound(record, at: moment)
        return effects
    }

    /// Lifts the delay that a server requested from a transfer: the user asks again.
    mutating func release(_ record: TransferRecord) {
        waitingTransfers.release(by: record.id)
        waitingTransfers.release(sessions.key(record).origin)
    }

    /// Queues resumed or restarted transfers, and lifts delays requested by servers.
    mutating func enqueue(_ restart: Input.Restart, at moment: Moment) -> [Effect] {
        leave(Set(restart.ids), of: restart.session)
        for id in restart.ids {
            noteChange(of: id)
            waitingTransfers.release(by: id)
        }
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
            guard changed.request.transport.network != old.request.transport.network else { return effects }
            return effects + depend(on: sessions.key(changed)) + stopIfForbidden(id)
        }
        let hasNewBegin = changed.request.timing.notBefore != old.request.timing.notBefore
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
            noteChange(of: id)
            held.overtake(id)
            running.forget(id)
            if waitingTransfers.release(by: id) { mayStart = true }
        }
        return mayStart ? planSchedule() : []
    }
}
