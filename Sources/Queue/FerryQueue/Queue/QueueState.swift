import FerryCore
import FerryRules
import FerryFoundation

/// The queue's parts, and the movement of transfers between them.
///
/// The parts are values with private state, independent of each other. Private to ``Queue``, which receives all events.
struct QueueState: Sendable {
    /// Whether transfers get slots.
    enum Phase: Sendable {
        /// Restoring transfers: the orders of their sessions are not known yet.
        case starting
        case open
        /// Shutting down: transfers get no slots.
        case ending
    }

    /// Transfers without a slot.
    var waitingTransfers: WaitingTransfers
    /// Transfers with a slot.
    var running = Running()
    /// Transfers that do not start before an operation on them has ended.
    var held = HeldTransfers()
    /// The settings, and the order of each session's transfers.
    var sessions: Sessions
    /// Apps, and the processes that have sessions open.
    var apps = AppRegistry()
    /// Network and power conditions.
    var conditions: KnownConditions
    /// The source of transfer ids.
    var ids: IDSource
    var phase = Phase.open
    /// Whether a scheduling pass is pending.
    private var isLookPlanned = false
    /// Number of rows read at once for a queue.
    let lineWindow: Int
    /// Keys of the queues in which the first transfers were notified that their host has its maximum number of
    /// connections.
    private(set) var crowded: Set<QueueKey> = []
    /// Actions in progress, by ticket.
    var actions: [Int: Act] = [:]
    var lastTicket = 0
    /// Transfers changed while their session's order is read. Their rows in that read may be outdated.
    var changedInOrder: [SessionID: Set<TransferID>] = [:]

    /// - Parameters:
    ///   - lastID: The last id ever assigned, or `nil` if none.
    ///   - lookAhead: How far ahead deadlines are loaded, in seconds.
    ///   - lineWindow: Number of rows read at once for a queue.
    init(
        _ settings: ServiceSettings, _ conditions: KnownConditions, lastID: TransferID?, lookAhead: Double,
        lineWindow: Int
    ) {
        self.lineWindow = lineWindow
        ids = IDSource(last: lastID)
        waitingTransfers = WaitingTransfers(lookAhead: lookAhead)
        sessions = Sessions(settings)
        self.conditions = conditions
    }

    /// Handles an event and returns the effects to perform.
    mutating func take(_ input: Input, at moment: Moment) -> [Effect] {
        // Their alarms may come late, for instance after the process was stopped.
        let over = conditions.leases.expire(at: moment.active.uptime)
        return over.flatMap { leaseChanged(of: $0) } + handle(input, at: moment)
    }

    private mutating func handle(_ input: Input, at moment: Moment) -> [Effect] {
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
            // Transfers with a slot and no attempt yet are marked like the others, and start none.
            return stop(running.ids)

        case .recovered(let stored):
            phase = .starting
            for session in stored { sessions.change(session.id, to: session.settings) }
            return []
        case .opened:
            if phase == .starting { phase = .open }
            return fill()
        case .settings(let settings, let report):
            sessions.change(to: settings)
            running.limitsChanged()
            return [.limits(settings)] + follow(report, at: moment) + fill()
        case .conditions(let report): return follow(report, at: moment)
        case .dependent(let key): return depend(on: key)
        case .session(let id, let settings): return change(id, to: settings)
        case .lease(let id, let end): return renewLease(of: id, until: end, at: moment)
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
        case .read(let reading, let ids): return endReading(reading, ids)
        case .readingFailed:
            waitingTransfers.abandonReading()
            return []
        case .ordering(let id):
            changedInOrder[id] = []
            return []
        case .ordered(let transfers, let id):
            takeOrdered(transfers, of: id)
            return []

        case .act(let act): return begin(act, at: moment)
        case .acted(let news, let ticket): return take(news, of: ticket, at: moment)

        case .restarted(let restart): return enqueue(restart, at: moment)
        case .hold(let ids, let work):
            held.hold(ids, for: work)
            return []
        case .release(let ids, let work):
            return ids.isEmpty ? [] : queue(held.release(ids, for: work), at: moment) + [.freed(ids)]
        case .storing(let ids):
            held.hold(new: ids)
            return []
        case .queued(let ids):
            guard let released = held.release(new: ids) else { return [] }
            return queue(released, at: moment) + [.freedNew(ids)]
        case .changed(let record, let old):
            noteChange(of: record.id)
            return held.isOvertaken(record.id) ? [] : follow(record, replacing: old, at: moment)
        case .answered(let session):
            let mayStart = waitingTransfers.wake(waitingFor: .authentication, in: session, at: moment.clock)
            return mayStart ? planSchedule() : []
        case .gone(let ids): return forget(ids, at: moment)

        case .due(let transfers):
            for transfer in transfers { bound(transfer.id, transfer.due, at: moment) }
            return []
        case .lookAhead: return lookAhead(at: moment)
        case .overdue(let records): return records.flatMap { expire($0, at: moment) }
        case .ringAgain(let ids, let seconds):
            for id in ids { waitingTransfers.ringDue(id, at: moment.clock + .wait(seconds: seconds)) }
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
        case .places(let origin, let most):
            running.note(places: most, of: origin)
            return []
        case .finished(let ended): return finished(ended, at: moment)
        case .ended(let id, let next): return ended(id, next, at: moment)
        }
    }

    // MARK: Slots

    /// Fills every free slot (docs/behaviour/transfers.md#L6).
    mutating func fill() -> [Effect] {
        guard phase == .open else { return [] }
        var effects = failForbidden()
        var limits = limits
        let (sessions, conditions) = (sessions, conditions)
        while !limits.admitsNone,
            let next = waitingTransfers.next(
                isInOrder: { sessions.settings(of: $0).inOrder },
                mayRun: { limits.obstacle($0) == nil && conditions.isPermitted($0) })
        {
            guard !held.keep(next.id, next.key), running.start(next.id, next.key) else { continue }
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

    /// Notifies the first transfers of each queue whose host has reached its limit, or is below it again.
    private mutating func notifyCrowded(_ limits: SlotLimits) -> [Effect] {
        // With all slots taken, every transfer waits for a slot. Other reasons would change with each completion.
        guard !limits.isFull else { return [] }
        let before = crowded
        crowded = Set(waitingTransfers.keys.filter { conditions.obstacle($0) == nil && limits.obstacle($0) == .host })
        let notified = crowded.symmetricDifference(before).flatMap {
            waitingTransfers.waiting(with: $0, limit: Queue.hostNotificationLimit)
        }
        return notified.isEmpty ? [] : [.notifyReasons(notified)]
    }

    /// Defers a scheduling pass, so that many completions at once cause only one.
    mutating func planSchedule() -> [Effect] {
        guard phase == .open, !isLookPlanned else { return [] }
        isLookPlanned = true
        return [.deferSchedule]
    }

    /// The limits without any running transfer.
    var rules: SlotLimits { sessions.rules(throttledOrigins: waitingTransfers.throttledOrigins) }

    /// Capacity left by the running transfers.
    var limits: SlotLimits { running.limits(under: rules) }

    /// Requeues a session's last running transfers, as many as exceed its limits.
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
        // The queues know only the policies that applied. The requests' own policies are in the journal.
        if old.network != settings.network {
            waitingTransfers.beginChangingKeys(of: id)
            return effects + [.readPolicies(id)]
        }
        return effects + giveExcessBack(of: id) + fill()
    }

    /// Applies a session's changed network policy to its waiting and running transfers.
    mutating func follow(_ own: [TransferID: NetworkPolicy], of id: SessionID) -> [Effect] {
        let sessions = sessions
        func changed(_ key: QueueKey, _ transfer: TransferID) -> QueueKey? {
            guard let policy = own[transfer] else { return nil }
            var key = key
            key.network = sessions.network(policy, in: id)
            return key
        }
        let moved = waitingTransfers.changeKeys(of: id, to: changed) { sessions.key($0) }
        held.changeKeys(of: id, to: changed)
        var effects: [Effect] = []
        for transfer in running.ids(of: id) {
            guard let key = running.key(of: transfer) else { continue }
            running.changeKey(of: transfer, to: changed(key, transfer) ?? key)
        }
        let keys = waitingTransfers.keys.filter { $0.session == id } + running.ids(of: id).compactMap(running.key)
        for key in keys { effects += depend(on: key) }
        for transfer in running.ids(of: id) { effects += stopIfForbidden(transfer) }
        let notified = moved.filter { conditions.obstacle($0.new) != conditions.obstacle($0.old) }.map(\.id)
        return effects + [.notifyReasons(notified)]
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

    /// Applies network and power conditions to all transfers.
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

    /// The condition that blocks each key's waiting transfers. Keys without one are left out.
    private var reasons: [QueueKey: WaitReason] {
        if conditions.areGood { return [:] }
        return Dictionary(
            uniqueKeysWithValues: waitingTransfers.keys.compactMap { key in conditions.obstacle(key).map { (key, $0) } }
        )
    }

    /// Stops a run that the conditions forbid. It resumes once they permit it, or fails if it does not wait.
    func stopIfForbidden(_ id: TransferID) -> [Effect] {
        // A run that has all bytes sends no more requests.
        guard !conditions.areGood, !running.isWhole(id), let record = running.record(of: id) else { return [] }
        let key = sessions.key(record)
        guard let reason = conditions.obstacle(key) else { return [] }
        return [.stop(id, ConditionRule.error(reason, key.network))]
    }

    /// Ends the waiting transfers that the conditions forbid and that do not wait for better ones.
    mutating func failForbidden() -> [Effect] {
        guard !conditions.areGood else { return [] }
        return waitingTransfers.keys.filter { forbidding($0) != nil }.flatMap { key in
            waitingTransfers.removeAll(with: key).flatMap { end($0, key) }
        }
    }

    /// Returns the condition that fails the transfers with a key, or `nil` if they may run or wait for better ones.
    func forbidding(_ key: QueueKey) -> WaitReason? {
        guard !conditions.areGood, !key.network.waits, conditions.isSettled(key),
            let reason = conditions.obstacle(key), ConditionRule.error(reason, key.network) != nil
        else { return nil }
        return reason
    }

    /// Ensures that the conditions a transfer depends on are watched from the moment it is queued.
    mutating func depend(on key: QueueKey) -> [Effect] {
        guard phase != .ending, let needs = conditions.depend(on: key) else { return [] }
        return [.watch(needs)]
    }
}
