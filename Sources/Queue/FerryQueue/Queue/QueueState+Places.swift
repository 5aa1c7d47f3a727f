import FerryCore
import FerryRules
import FerryFoundation

/// Waiting positions of transfers, and their delays.
extension QueueState {
    /// A transfer's waiting position.
    struct Place {
        let id: TransferID
        let key: QueueKey
        /// Send no request before this moment.
        var notBefore: Date?
        /// Delay in seconds.
        package var delay = 0.0
        var reason = WaitReason.retry
        /// The error to wait for, if the journal does not contain it.
        var error: ServiceError?
    }

    /// Queues a transfer after its delay, and not before its begin date. A transfer with a slot returns once its
    /// attempt ends.
    mutating func enqueue(_ place: Place, at moment: Moment) -> [Effect] {
        guard !running.contains(place.id) else { return [] }
        held.discard(place.id)
        let effects = depend(on: place.key)
        let begin = min(place.notBefore?.timeIntervalSince(moment.wall) ?? 0, TransferMachine.untilAnswered)
        if begin > place.delay {
            waitingTransfers.delay(
                place.id, DelayedTransfer(place.key, seconds: begin, .beginDate, begin: begin, at: moment.clock))
        } else if place.delay > 0 {
            waitingTransfers.delay(
                place.id,
                DelayedTransfer(
                    place.key, seconds: place.delay, place.reason, error: place.error, begin: begin,
                    at: moment.clock))
        } else {
            waitingTransfers.insert(place.id, place.key)
        }
        return effects
    }

    mutating func enqueue(_ eligible: Input.Eligible, at moment: Moment) -> [Effect] {
        let record = eligible.record
        var place = Place(
            id: record.id, key: sessions.key(record), notBefore: record.request.timing.notBefore, delay: eligible.delay,
            reason: eligible.reason, error: eligible.error)
        if record.facts.startsAfterRelaunch == true, record.attempts == 0 {
            place.wait(forLaunches: apps.relaunchRest(of: record.request.session, at: moment.wall))
        }
        return enqueue(place, at: moment)
    }

    /// Queues pending transfers that are in no queue, and sets their deadline alarms.
    mutating func enqueue(_ transfers: [PendingTransfer], at moment: Moment) -> [Effect] {
        var effects: [Effect] = []
        var latest: QueueKey?
        var alike: [TransferID] = []
        for transfer in transfers {
            bound(transfer.id, transfer.due, at: moment)
            // Its alarm may have gone off while it was read: a transfer with a slot is not queued.
            guard !running.contains(transfer.id) else { continue }
            var place = Place(
                id: transfer.id, key: sessions.key(transfer), notBefore: transfer.notBefore,
                delay: transfer.retry?.rest(now: moment.wall) ?? 0, reason: transfer.retry?.reason ?? .retry)
            if transfer.startsAfterRelaunch {
                place.wait(forLaunches: apps.relaunchRest(of: transfer.session, at: moment.wall))
            }
            guard place.delay == 0, place.notBefore == nil else {
                effects += enqueue(place, at: moment)
                continue
            }
            // Most neighboring transfers are ready and share a key.
            if let latest, place.key != latest { effects += insert(&alike, latest) }
            latest = place.key
            alike.append(place.id)
        }
        if let latest { effects += insert(&alike, latest) }
        return effects
    }

    private mutating func insert(_ ids: inout [TransferID], _ key: QueueKey) -> [Effect] {
        waitingTransfers.insert(ids, key)
        ids.removeAll(keepingCapacity: true)
        return depend(on: key)
    }

    /// Removes transfers of a session that are not to run from their queues.
    mutating func leave(_ ids: Set<TransferID>, of session: SessionID) {
        waitingTransfers.leave(ids, of: session)
        for id in ids { held.discard(id) }
    }

    /// Queues the released transfers whose turn came meanwhile.
    mutating func queue(_ released: HeldTransfers.Released, at moment: Moment) -> [Effect] {
        for (id, key) in released.waiting where !running.contains(id) { waitingTransfers.insert(id, key) }
        for id in released.due { waitingTransfers.ringDue(id, at: moment.clock) }
        return (released.wasAbandoned ? [.cleanUp] : []) + (released.waiting.isEmpty ? [] : planSchedule())
    }

    // MARK: Transfers in the journal alone

    /// Queues the first transfers of each queue. The others stay in the journal until needed.
    mutating func takeLines(_ stored: [(line: StoredQueueKey, ids: [TransferID])]) -> [Effect] {
        var effects: [Effect] = []
        for (line, ids) in stored {
            let key = sessions.key(line)
            effects += depend(on: key)
            waitingTransfers.insert(ids, key)
            if ids.count == lineWindow, let taken = ids.last {
                waitingTransfers.leaveToJournal(line, key, after: taken, through: self.ids.last)
            }
        }
        return effects
    }

    /// Leaves transfers with consecutive ids in the journal. Sets alarms for deadlines in the near future.
    mutating func leaveToJournal(_ list: Input.List, at moment: Moment) -> [Effect] {
        guard let first = list.ids.first, let last = list.ids.last else { return [] }
        var effects: [Effect] = []
        for line in list.lines {
            let key = sessions.key(line)
            waitingTransfers.leaveToJournal(line, key, after: TransferID(rawValue: first.rawValue - 1), through: last)
            effects += depend(on: key)
        }
        if let due = list.due, waitingTransfers.isSoon(due, at: moment.active) {
            for id in list.ids { bound(id, due, at: moment) }
        }
        return effects
    }

    /// Queues the transfers that were read. Transfers changed meanwhile are left to the next read.
    mutating func endReading(_ reading: Backlog<StoredQueueKey>.Reading, _ ids: [TransferID]) -> [Effect] {
        let running = running
        waitingTransfers.endReading(reading, ids, isEnd: ids.count < lineWindow, isLive: running.contains)
        return fill()
    }

    /// Records that a transfer's row has changed. Rows being read may be outdated.
    mutating func noteChange(of id: TransferID) {
        waitingTransfers.touch(id)
        for session in changedInOrder.keys { changedInOrder[session]?.insert(id) }
    }

    /// Queues transfers with a position in their session's order, wherever they are in the journal. Leaves out
    /// transfers that changed since the read started.
    mutating func takeOrdered(_ pending: [PendingTransfer], of id: SessionID) {
        let changed = changedInOrder.removeValue(forKey: id) ?? []
        for transfer in pending where transfer.session == id && transfer.isPlain && !changed.contains(transfer.id) {
            guard !running.contains(transfer.id), waitingTransfers.delay(of: transfer.id) == nil else { continue }
            waitingTransfers.insert(transfer.id, sessions.key(transfer))
        }
    }
}

extension QueueState.Place {
    /// Extends the wait to the end of the delay after the app's launches.
    fileprivate mutating func wait(forLaunches rest: Double) {
        guard rest > delay else { return }
        (delay, reason, error) = (rest, .relaunch, nil)
    }
}

extension PendingTransfer {
    /// Whether the transfer waits only for a slot.
    fileprivate var isPlain: Bool { retry == nil && notBefore == nil && !startsAfterRelaunch }
}
