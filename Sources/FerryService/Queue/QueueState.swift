import FerryCore
import Foundation

/// The rooms of the queue, and how a transfer goes from one to another.
///
/// The rooms are values with private state that know nothing of each other. All of this is ``Queue``'s own: others tell the
/// queue what happens.
struct QueueState: Sendable {
    /// Whether transfers get slots.
    enum Phase: Sendable {
        case open
        /// No: the service is about to end.
        case ending
    }

    /// Transfers that have no slot.
    var waitingTransfers: WaitingTransfers
    /// Transfers that have a slot.
    var running = Running()
    /// The settings, and the order of each session's transfers.
    var sessions: Sessions
    /// Apps and the processes that have sessions open.
    var apps = AppRegistry()
    /// Networks and power.
    var conditions: KnownConditions
    /// Changes that are being stored.
    var changes = ChangesUnderWay()
    /// Gives transfers their ids.
    var ids: IDSource
    var phase = Phase.open
    /// Whether a look at the free slots is to come.
    private var isLookPlanned = false
    /// WaitingTransfers whose first transfers were told that they wait for their host: it has as many connections as it may.
    private(set) var crowded: Set<QueueKey> = []
    /// Of sessions whose order is being read, the transfers that have changed meanwhile: what is read of them may be old.
    var changedInOrder: [SessionID: Set<TransferID>] = [:]

    /// - Parameters:
    ///   - lastID: the last id that was ever given; nil is none.
    ///   - lookAhead: seconds for which it is known whose time has passed.
    init(
        _ settings: ServiceSettings, _ conditions: KnownConditions, lastID: TransferID? = nil, lookAhead: Double
    ) {
        ids = IDSource(last: lastID)
        waitingTransfers = WaitingTransfers(lookAhead: lookAhead)
        sessions = Sessions(settings)
        self.conditions = conditions
    }

    /// Decides what follows from something that has happened.
    mutating func take(_ input: Input, at moment: Moment) -> [Effect] {
        switch input {
        case .schedule: return fill()
        case .deferredSchedule:
            isLookPlanned = false
            return fill()
        case .alarm: return ring(at: moment)
        case .plan(let alarm):
            waitingTransfers.set(alarm)
            return []
        case .end:
            phase = .ending
            // Transfers that have a slot and no attempt yet are marked with the others, and make none.
            return stop(running.ids)

        case .recovered(let stored):
            for session in stored { sessions.change(session.id, to: session.settings) }
            return []
        case .settings(let settings, let report):
            sessions.change(to: settings)
            return [.limits(settings)] + follow(report, at: moment) + fill()
        case .conditions(let report): return follow(report, at: moment)
        case .dependent(let key): return depend(on: key)
        case .session(let id, let settings): return change(id, to: settings)
        case .attached(let attachment, let id):
            sessions.follow(attachment, of: id)
            return []
        case .policies(let own, let id): return follow(own, of: id) + giveExcessBack(of: id) + fill()
        case .order(let id, let order):
            sessions.order(id, order)
            waitingTransfers.order(id, order)
            return []
        case .app(let input): return take(input, at: moment)
        case .relaunchDelay(let application): return followRelaunchDelay(of: application, at: moment) + fill()

        case .pending(let transfers): return enqueue(transfers, at: moment)
        case .eligible(let eligible): return enqueue(eligible, at: moment)
        case .stored(let found): return takeLines(found)
        case .listed(let list): return leaveToJournal(list, at: moment)
        case .read(let reading, let ids, let busy): return endReading(reading, ids, busy: busy)
        case .readingFailed:
            waitingTransfers.abandonReading()
            return []
        case .ordering(let id):
            changedInOrder[id] = []
            return []
        case .ordered(let transfers, let id, let busy):
            takeOrdered(transfers, of: id, busy: busy)
            return []

        case .rested(let record):
            waitingTransfers.leave(record.id, sessions.key(record))
            return stop([record.id])
        case .restedAll(let ids, let session):
            waitingTransfers.leave(Set(ids), of: session)
            return stop(ids)
        case .stop(let ids): return stop(ids)
        case .left(let ids):
            running.leave(ids)
            return []
        case .urged(let record):
            waitingTransfers.release(by: record.id)
            waitingTransfers.release(sessions.key(record).origin)
            return []
        case .resumed(let record):
            let effects = enqueue(Input.Eligible(record: record), at: moment)
            bound(record, at: moment)
            return effects
        case .restarted(let restart): return enqueue(restart, at: moment)
        case .changing(let id):
            changes.begin(id)
            return []
        case .unchanged(let id):
            _ = changes.end(id)
            return []
        case .changed(let record, let old):
            guard changes.end(record.id) else { return [] }
            return follow(record, replacing: old, at: moment)
        case .takeOut(let ids, let session): return [.takenOut(waitingTransfers.leave(ids, of: session))]
        case .comeBack(let taken): return comeBack(taken)
        case .answered(let session):
            waitingTransfers.wake(waitingFor: .authentication, in: session, at: moment.clock)
            return []
        case .gone(let ids): return forget(ids, at: moment)
        case .unlocked(let id):
            waitingTransfers.touch(id)
            noteChange(of: id)
            // Its time has passed while it was acted upon.
            if waitingTransfers.takeDueAfterTurn(id) { waitingTransfers.ringDue(id, at: moment.clock) }
            return []

        case .bounded(let record):
            bound(record, at: moment)
            return []
        case .due(let transfers):
            for transfer in transfers { bound(transfer.id, transfer.due, at: moment) }
            return []
        case .lookAhead: return lookAhead(at: moment)
        case .rang(let ids, let isBusy):
            for id in ids { waitingTransfers.dueRang(id, isBusy: isBusy) }
            return []
        case .overdue(let record): return expire(record, at: moment)
        case .ringAgain(let id, let seconds):
            waitingTransfers.ringDue(id, at: moment.clock + .wait(seconds: seconds))
            return []

        case .held(let origin, let seconds, let id):
            let until = moment.clock + .wait(seconds: seconds)
            return [.notifyReasons(waitingTransfers.hold(origin.description, until: until, by: id))]
        case .began(let id, let record): return began(id, record, at: moment)
        case .whole(let id, let inMemory):
            running.becameWhole(id, inMemory: inMemory)
            return planSchedule()
        case .name(let id, let isSlow):
            if isSlow {
                running.waitsForName(id)
                return planSchedule()
            }
            return planSchedule() + (running.takeSlotBack(id, under: rules) ? [.stop(id, nil)] : [])
        case .nameGivenUp(let id):
            running.waitsForNoName(id)
            return []
        case .finished(let id, let size): return finished(id, size, at: moment)
        case .ended(let id, let next): return ended(id, next, at: moment)
        }
    }

    // MARK: Slots

    /// Gives every free slot away (docs/behaviour/transfers.md#L6).
    mutating func fill() -> [Effect] {
        guard phase == .open else { return [] }
        var effects = failForbidden()
        var limits = limits
        let (sessions, conditions) = (sessions, conditions)
        while !limits.isFull,
            let next = waitingTransfers.next(
                isInOrder: { sessions.settings(of: $0).inOrder },
                mayRun: { limits.obstacle($0) == nil && conditions.isPermitted($0) })
        {
            guard running.start(next.id, next.key) else { continue }
            limits.add(next.key)
            effects.append(.start(next.id, next.key))
        }
        if let reading = waitingTransfers.beginReading() { effects.append(.readOn(reading)) }
        let isWaiting = waitingTransfers.keys.contains(where: \.network.isDiscretionary)
        if let pace = self.conditions.setPace(isWaiting: isWaiting, isRunning: running.hasDiscretionary) {
            effects.append(.pollPower(pace))
        }
        if running.isEmpty { effects.append(.rest) }
        return effects + notifyCrowded(limits)
    }

    /// Tells the first transfers of each line whose host is at its limit from now on, or no longer, what they wait for.
    private mutating func notifyCrowded(_ limits: SlotLimits) -> [Effect] {
        // While all slots are taken every transfer waits for one; another reason would come and go with each end.
        guard !limits.isFull else { return [] }
        let before = crowded
        crowded = Set(waitingTransfers.keys.filter { conditions.obstacle($0) == nil && limits.obstacle($0) == .host })
        let told = crowded.symmetricDifference(before).flatMap {
            waitingTransfers.waiting(with: $0, limit: Queue.hostNotificationLimit)
        }
        return told.isEmpty ? [] : [.notifyReasons(told)]
    }

    /// Plans a look at the free slots after what may have freed one, so that many ends of a moment make one look.
    mutating func planSchedule() -> [Effect] {
        guard phase == .open, !isLookPlanned else { return [] }
        isLookPlanned = true
        return [.deferSchedule]
    }

    /// The limits before anything runs.
    var rules: SlotLimits { sessions.rules(throttledOrigins: waitingTransfers.throttledOrigins) }

    /// What may run beside the transfers that have a slot.
    var limits: SlotLimits { running.limits(under: rules) }

    /// Sends the last of a session's running transfers back into line, as many as are over its limits.
    mutating func giveExcessBack(of id: SessionID) -> [Effect] {
        let sessions = sessions
        let excess = running.giveExcessBack(of: id, sessions.settings(of: id)) { sessions.rank(of: $0, in: id) }
        return excess.map { .stop($0, nil) }
    }

    // MARK: Settings

    mutating func change(_ id: SessionID, to settings: SessionSettings) -> [Effect] {
        let old = sessions.settings(of: id)
        sessions.change(id, to: settings)
        let effects: [Effect] = [.sessionLimits(id, settings)]
        // The lines know the policies that applied; what the requests themselves say is in the journal.
        if old.network != settings.network {
            waitingTransfers.beginChangingKeys(of: id)
            return effects + [.readPolicies(id)]
        }
        return effects + giveExcessBack(of: id) + fill()
    }

    /// Lets the waiting and the running transfers of a session follow its changed network policy.
    mutating func follow(_ own: [TransferID: NetworkPolicy], of id: SessionID) -> [Effect] {
        let sessions = sessions
        func changed(_ key: QueueKey, _ transfer: TransferID) -> QueueKey? {
            guard let policy = own[transfer] else { return nil }
            var key = key
            key.network = sessions.network(policy, in: id)
            return key
        }
        let moved = waitingTransfers.changeKeys(of: id, to: changed) { sessions.key($0) }
        var effects: [Effect] = []
        for transfer in running.ids(of: id) {
            guard let key = running.key(of: transfer) else { continue }
            running.changeKey(of: transfer, to: changed(key, transfer) ?? key)
        }
        let keys = waitingTransfers.keys.filter { $0.session == id } + running.ids(of: id).compactMap(running.key)
        for key in keys { effects += depend(on: key) }
        for transfer in running.ids(of: id) { effects += stopIfForbidden(transfer) }
        let told = moved.filter { conditions.obstacle($0.new) != conditions.obstacle($0.old) }.map(\.id)
        return effects + [.notifyReasons(told)]
    }

    mutating func followRelaunchDelay(of application: String, at moment: Moment) -> [Effect] {
        var effects: [Effect] = []
        for (id, key) in waitingTransfers.waiting(for: .relaunch) {
            guard apps.registration(of: key.session)?.application == application else { continue }
            let rest = apps.relaunchRest(of: key.session, at: moment.wall)
            effects += enqueue(Place(id: id, key: key, delay: rest, reason: .relaunch), at: moment)
        }
        return effects
    }

    // MARK: Networks and power

    /// Lets all transfers follow what is known of networks and power.
    mutating func follow(_ report: ConditionReport, at moment: Moment) -> [Effect] {
        guard phase != .ending else { return [] }
        let before = reasons
        guard let change = conditions.take(report, constrained: sessions.settings.constrained) else { return [] }
        var effects: [Effect] = []
        if change.cameUp {
            effects.append(.renewConnections)
            waitingTransfers.wake(waitingFor: .retry, at: moment.clock)
            waitingTransfers.wake(waitingFor: .network, at: moment.clock)
        }
        for id in running.ids { effects += stopIfForbidden(id) }
        effects += fill()
        let after = reasons
        let changed = waitingTransfers.keys.filter { before[$0] != after[$0] }
        effects.append(.notifyReasons(changed.flatMap { waitingTransfers.waiting(with: $0, limit: 500) }))
        return effects + [.conditionsChanged(conditions)]
    }

    /// The condition that is in the way of the waiting transfers with each key; a key without one is left out.
    private var reasons: [QueueKey: WaitReason] {
        if conditions.areGood { return [:] }
        return Dictionary(
            uniqueKeysWithValues: waitingTransfers.keys.compactMap { key in conditions.obstacle(key).map { (key, $0) } }
        )
    }

    /// Stops a run that the conditions forbid; it goes on by itself once they allow it, or ends if it does not wait.
    func stopIfForbidden(_ id: TransferID) -> [Effect] {
        // A run that has all bytes asks for nothing more.
        guard !conditions.areGood, !running.isWhole(id), let record = running.record(of: id) else { return [] }
        let key = sessions.key(record)
        guard let reason = conditions.obstacle(key) else { return [] }
        return [.stop(id, ConditionRule.error(reason, key.network))]
    }

    /// Takes transfers out of line that conditions forbid and that do not wait for better ones, and ends them.
    mutating func failForbidden() -> [Effect] {
        guard !conditions.areGood else { return [] }
        var effects: [Effect] = []
        for key in waitingTransfers.keys.filter({ !$0.network.waits && conditions.isSettled($0) }) {
            guard let reason = conditions.obstacle(key), ConditionRule.error(reason, key.network) != nil else {
                continue
            }
            effects += waitingTransfers.removeAll(with: key).map { .fail($0, reason) }
        }
        return effects
    }

    /// Sees to it that what a transfer depends on is watched, from its first moment in line.
    mutating func depend(on key: QueueKey) -> [Effect] {
        guard phase != .ending, let needs = conditions.depend(on: key) else { return [] }
        return [.watch(needs)]
    }
}
