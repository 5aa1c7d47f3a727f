import FerryCore
import FerryRules
import FerryFoundation

/// Alarms, deadlines and leases.
extension QueueState {
    mutating func ring(at moment: Moment) -> [Effect] {
        var due: [TransferID] = []
        var effects: [Effect] = []
        for cause in waitingTransfers.ring(at: moment.clock) {
            switch cause {
            case .due(let id):
                waitingTransfers.dueRang(id)
                due.append(id)
            case .schedule: effects += lookAhead(at: moment)
            // It has been extended meanwhile, or is gone.
            case .lease(let session): setLeaseAlarm(session, at: moment)
            // The delay before repeating a launch has passed.
            case .launch(let session): if apps.repeatLaunch(for: session) { effects.append(.consider(session)) }
            default: effects.append(.work(cause))
            }
        }
        effects += fill()
        if !due.isEmpty { effects.append(.readOverdue(due)) }
        return effects
    }

    /// Requests the transfers with deadlines in the near future, and sets the alarm for the next request.
    mutating func lookAhead(at moment: Moment) -> [Effect] {
        let look = waitingTransfers.lookAhead(at: moment.active, moment.clock)
        return [.readDue(after: look.after, through: look.through)]
    }

    /// Sets a deadline alarm if the deadline is near. Otherwise a later look-ahead finds it.
    mutating func bound(_ record: TransferRecord, at moment: Moment) {
        guard let due = record.due, let rest = record.timeBounds.rest(at: moment.active) else { return }
        waitingTransfers.setDue(record.id, due, rest: rest, at: moment.active, moment.clock)
    }

    /// Sets a deadline alarm from the journal's deadline alone. It may go off too early.
    mutating func bound(_ id: TransferID, _ due: Date?, at moment: Moment) {
        if let due { waitingTransfers.setDue(id, due, at: moment.active, moment.clock) }
    }

    /// Stops a running transfer whose deadline has passed. Ends a waiting one.
    mutating func expire(_ record: TransferRecord, at moment: Moment) -> [Effect] {
        let id = record.id
        guard record.isEligible else { return [] }
        guard Queue.isOver(record, at: moment) else {
            bound(record, at: moment)
            return []
        }
        if held.ring(id) { return [] }
        guard running.contains(id) else {
            let key = sessions.key(record)
            waitingTransfers.leave(id, formerly: key)
            return end(id, key)
        }
        guard running.hasRun(id), let error = Queue.overdue(record) else {
            // It has a slot and no run yet: check again shortly, when it has one.
            waitingTransfers.ringDue(id, at: moment.clock + .wait(seconds: Queue.deadlineRecheckDelay))
            return []
        }
        return [.stop(id, error)]
    }

    /// Ends a transfer that is in no queue: its attempt stores an outcome, as ``start(of:at:)`` decides.
    mutating func end(_ id: TransferID, _ key: QueueKey) -> [Effect] {
        guard phase != .ending, !held.keep(id, key) else { return [] }
        return running.start(id, key, onlyEnds: true) ? [.start(id, key)] : []
    }

    // MARK: Leases of sessions

    /// Extends a session's lease, unless the new end has passed.
    mutating func renewLease(of session: SessionID, until end: Double, at moment: Moment) -> [Effect] {
        guard phase != .ending, end > moment.active.uptime else { return [] }
        let isNew = conditions.leases.renew(session, until: end)
        setLeaseAlarm(session, at: moment)
        return isNew ? leaseChanged(of: session) : []
    }

    private mutating func setLeaseAlarm(_ session: SessionID, at moment: Moment) {
        guard let end = conditions.leases.end(of: session) else { return }
        let rest = max(0, end - moment.active.uptime)
        waitingTransfers.set(Alarm(due: moment.clock + .wait(seconds: rest), cause: .lease(session)))
    }

    /// Starts or stops the transfers of a session whose lease has begun or ended.
    mutating func leaseChanged(of session: SessionID) -> [Effect] {
        var effects = running.ids(of: session).flatMap { stopIfForbidden($0) }
        let keys = waitingTransfers.keys.filter { $0.session == session && $0.network.needsLease }
        effects += fill()
        return effects + [.notifyReasons(keys.flatMap { waitingTransfers.waiting(with: $0, limit: 500) })]
    }
}
