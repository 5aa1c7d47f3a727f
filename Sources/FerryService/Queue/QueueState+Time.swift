import FerryCore
import Foundation

/// What happens at moments: alarms, and the ends of transfers' times.
extension QueueState {
    mutating func ring(at moment: Moment) -> [Effect] {
        var due: [TransferID] = []
        var effects: [Effect] = []
        for cause in waitingTransfers.ring(at: moment.clock) {
            switch cause {
            case .due(let id): due.append(id)
            case .schedule: effects += lookAhead(at: moment)
            // The delay before a launch is repeated has ended.
            case .launch(let session): if apps.repeatLaunch(for: session) { effects.append(.consider(session)) }
            default: effects.append(.work(cause))
            }
        }
        effects += fill()
        if !due.isEmpty { effects.append(.endOverdue(due)) }
        return effects
    }

    /// Asks for the transfers whose time passes soon, and sets the alarm of the next look.
    mutating func lookAhead(at moment: Moment) -> [Effect] {
        let look = waitingTransfers.lookAhead(at: moment.active, moment.clock)
        return [.readDue(after: look.after, through: look.through)]
    }

    /// Sets the alarm of a transfer if its time passes soon; otherwise a later look finds the transfer.
    mutating func bound(_ record: TransferRecord, at moment: Moment) {
        guard let due = record.due, let rest = record.timeBounds.rest(at: moment.active) else { return }
        waitingTransfers.setDue(record.id, due, rest: rest, at: moment.active, moment.clock)
    }

    /// Sets the alarm of a transfer of which only the moment in the journal is known; it may ring too early.
    mutating func bound(_ id: TransferID, _ due: Date?, at moment: Moment) {
        if let due { waitingTransfers.setDue(id, due, at: moment.active, moment.clock) }
    }

    /// Stops a transfer whose alarm has rung, if it runs; takes it out of its line, if it waits.
    mutating func expire(_ record: TransferRecord, at moment: Moment) -> [Effect] {
        let id = record.id
        guard Queue.isOver(record, at: moment) else {
            bound(record, at: moment)
            return []
        }
        guard running.contains(id) else {
            waitingTransfers.leave(id, sessions.key(record))
            return [.expire(id)]
        }
        guard running.hasRun(id), let error = Queue.overdue(record) else {
            // It has a slot and no run yet: the run is met a moment later.
            waitingTransfers.ringDue(id, at: moment.clock + .wait(seconds: Queue.deadlineRecheckDelay))
            return []
        }
        return [.stop(id, error)]
    }
}
