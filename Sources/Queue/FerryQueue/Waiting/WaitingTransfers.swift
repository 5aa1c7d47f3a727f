package import FerryCore
import FerryRules
import FerryFoundation

/// The transfers waiting for a slot.
///
/// Each waiting transfer is in exactly one of three places:
/// - `ready`: eligible, in scheduling order.
/// - `delayed`: not before a moment, such as a retry.
/// - `backlog`: only in the journal. Loaded when the ready transfers of its queue run low.
///
/// Memory: eight bytes per ready transfer, so a million transfers cost 8 MB. `ready` is indexed by queue key only, so
/// remove a transfer under its old key before changing the key.
///
/// Pure value: no clock, no I/O. Callers pass the current time.
package struct WaitingTransfers: Sendable {
    private var ready = ReadyQueue()
    /// Transfers that wait only in the journal.
    private var backlog = Backlog<StoredQueueKey>()
    private var delayed: [TransferID: DelayedTransfer] = [:]
    private var held = ThrottledOrigins()
    private var dues: DueTransfers
    private var alarms = Alarms()
    /// Sessions being re-keyed. Until that is applied, their transfers are still indexed under the old keys.
    private var changing: Set<SessionID> = []
    /// Old keys of transfers that were skipped by a re-keying, by id.
    private var strays: [TransferID: QueueKey] = [:]

    /// - Parameter lookAhead: How far ahead deadlines are loaded, in seconds.
    init(lookAhead: Double) { dues = DueTransfers(lookAhead: lookAhead) }

    // MARK: Ready transfers

    /// Makes a transfer ready, canceling any delay.
    mutating func insert(_ id: TransferID, _ key: QueueKey) {
        leave(id, key)
        ready.insert(id, key)
    }

    /// Makes new transfers ready.
    mutating func insert(_ ids: some Collection<TransferID>, _ key: QueueKey) { ready.insert(ids, key) }

    /// Delays a transfer. Sets an alarm unless the delay has no end.
    package mutating func delay(_ id: TransferID, _ waiting: DelayedTransfer) {
        leave(id, waiting.key)
        delayed[id] = waiting
        if waiting.hasEnd { set(Alarm(due: waiting.until, cause: .retry(id))) }
    }

    /// Removes a transfer, wherever it is.
    ///
    /// - Returns: Whether it was ready with this key, or delayed.
    @discardableResult
    mutating func leave(_ id: TransferID, _ key: QueueKey) -> Bool {
        let wasReady = ready.remove(id, key)
        if !wasReady {
            if let stray = strays[id] { ready.remove(id, stray) }
            if changing.contains(key.session) { ready.remove([id], of: key.session) }
        }
        strays[id] = nil
        guard let waiting = delayed.removeValue(forKey: id) else { return wasReady }
        if waiting.key != key { ready.remove(id, waiting.key) }
        return true
    }

    /// Removes a transfer whose key may have changed since its record was read.
    mutating func leave(_ id: TransferID, formerly key: QueueKey) {
        guard !leave(id, key) else { return }
        for other in ready.keys.filter({ $0.session == key.session }) { ready.remove(id, other) }
    }

    /// Removes transfers of a session, except from the backlog.
    mutating func leave(_ ids: Set<TransferID>, of session: SessionID) {
        if delayed.count < ids.count {
            delayed = delayed.filter { !ids.contains($0.key) }
        } else {
            for id in ids { delayed[id] = nil }
        }
        ready.remove(ids, of: session)
    }

    /// Removes and returns the transfer for the next slot, or `nil` if no waiting transfer may run.
    mutating func next(
        isInOrder: (SessionID) -> Bool, mayRun: (QueueKey) -> Bool
    ) -> (id: TransferID, key: QueueKey)? {
        ready.next(isInOrder: isInOrder, mayRun: mayRun)
    }

    /// Wakes the transfers delayed for `reason`. Transfers with a later begin date stay delayed until then.
    ///
    /// - Parameter session: Wake only transfers of this session. `nil` is all sessions.
    /// - Returns: Whether any transfer has become ready.
    @discardableResult
    mutating func wake(
        waitingFor reason: WaitReason, in session: SessionID? = nil, at now: ContinuousClock.Instant
    ) -> Bool {
        var isAnyReady = false
        for (id, waiting) in delayed where waiting.reason == reason {
            guard session == nil || waiting.key.session == session else { continue }
            if let later = waiting.withoutCause(at: now) {
                delay(id, later)
                continue
            }
            delayed[id] = nil
            ready.insert(id, waiting.key)
            isAnyReady = true
        }
        return isAnyReady
    }

    /// Sets the order of a session's transfers. Unlisted transfers follow, oldest first.
    mutating func order(_ session: SessionID, _ ids: [TransferID]) { ready.order(session, ids) }

    /// Removes and returns all ready transfers with a key.
    mutating func removeAll(with key: QueueKey) -> [TransferID] { ready.removeAll(with: key) }

    /// Marks a session as being re-keyed: callers may already pass the new keys.
    mutating func beginChangingKeys(of session: SessionID) { changing.insert(session) }

    /// Re-keys all waiting transfers of a session.
    ///
    /// - Parameters:
    ///   - changed: Returns a transfer's new key from its old one, or `nil` if unknown because the transfer is new or
    ///     about to leave.
    ///   - lineKey: Returns the key of a queue in the journal.
    /// - Returns: The ready transfers with their old and new keys.
    mutating func changeKeys(
        of session: SessionID, to changed: (QueueKey, TransferID) -> QueueKey?,
        lines lineKey: (StoredQueueKey) -> QueueKey
    ) -> [(id: TransferID, old: QueueKey, new: QueueKey)] {
        changing.remove(session)
        strays = strays.filter { $0.value.session != session }
        var moved: [(id: TransferID, old: QueueKey, new: QueueKey)] = []
        for old in ready.keys.filter({ $0.session == session }) {
            for id in ready.removeAll(with: old) {
                let new = changed(old, id)
                if new == nil { strays[id] = old }
                moved.append((id, old, new ?? old))
            }
        }
        for (id, _, key) in moved { ready.insert(id, key) }
        backlog.change { line, old in line.session == session ? lineKey(line) : old }
        for (id, waiting) in delayed where waiting.key.session == session {
            if let new = changed(waiting.key, id) { delayed[id]?.key = new } else { strays[id] = waiting.key }
        }
        return moved
    }

    // MARK: Questions

    /// Returns a transfer's delay, or `nil` if it is ready or not in memory.
    package func delay(of id: TransferID) -> DelayedTransfer? { delayed[id] }

    /// Number of ready transfers.
    package var count: Int { ready.count }

    /// The keys of the ready transfers.
    package var keys: some Collection<QueueKey> { ready.keys }

    /// Returns the ready transfers with a key, oldest first, up to a limit.
    package func waiting(with key: QueueKey, limit: Int) -> [TransferID] { ready.waiting(with: key, limit: limit) }

    /// Returns the number of ready transfers for an origin.
    package func waiting(for origin: String) -> Int { ready.waiting(for: origin) }

    /// Returns the given transfers that are delayed and belong to the session, oldest first.
    package func delayed(of session: SessionID, among ids: Set<TransferID>) -> [TransferID] {
        delayed.filter { $0.value.key.session == session && ids.contains($0.key) }.map(\.key).sorted()
    }

    /// Returns the transfers delayed for a reason.
    package func waiting(for reason: WaitReason) -> [(id: TransferID, key: QueueKey)] {
        delayed.filter { $0.value.reason == reason }.map { ($0.key, $0.value.key) }
    }

    /// Returns a session's transfers delayed for one of the reasons. `nil` is all sessions.
    package func delayed(for reasons: Set<WaitReason>, of session: SessionID?) -> Set<TransferID> {
        Set(
            delayed.filter { reasons.contains($0.value.reason) && (session == nil || $0.value.key.session == session) }
                .keys)
    }

    /// Number of transfers per session that wait for an answer of the app.
    package var asking: [SessionID: Int] {
        var asking: [SessionID: Int] = [:]
        for waiting in delayed.values where waiting.reason == .authentication {
            asking[waiting.key.session, default: 0] += 1
        }
        return asking
    }

    // MARK: Transfers in the journal alone

    /// Fewer ready transfers than this cause a queue's backlog to be read.
    private static let shortLine = 64

    /// Leaves the transfers of a queue after `first` through `last` in the journal, to be read when few are ready.
    mutating func leaveToJournal(
        _ line: StoredQueueKey, _ key: QueueKey, after first: TransferID, through last: TransferID
    ) {
        backlog.add(line, key, after: first, through: last)
    }

    package func hasBacklog(of session: SessionID) -> Bool { !backlog.sources { $0.session == session }.isEmpty }

    /// Begins to read the backlog of a queue with few ready transfers. Returns `nil` if there is none, or a read is in
    /// progress.
    mutating func beginReading() -> Backlog<StoredQueueKey>.Reading? {
        guard !backlog.isEmpty else { return nil }
        let ready = ready
        return backlog.begin { ready.waiting(with: $0) < Self.shortLine }
    }

    /// Makes the transfers ready that were read.
    ///
    /// - Parameter isEnd: Whether the queue has no more rows.
    mutating func endReading(
        _ reading: Backlog<StoredQueueKey>.Reading, _ ids: [TransferID], isEnd: Bool, isLive: (TransferID) -> Bool
    ) {
        guard let taken = backlog.end(reading, ids, isEnd: isEnd) else { return }
        ready.insert(taken.ids.filter { !isLive($0) && delayed[$0] == nil }, taken.key)
    }

    /// Ends a read without a result.
    mutating func abandonReading() { backlog.abandon() }

    /// Records that a transfer's row has changed. Rows being read may be outdated.
    mutating func touch(_ id: TransferID) { backlog.touch(id) }

    // MARK: Throttled origins

    package var throttledOrigins: Set<String> { held.origins }

    /// Throttles an origin until a moment, because its server told a transfer to wait.
    ///
    /// - Returns: The ready transfers for the origin, up to 500 per key.
    mutating func hold(_ origin: String, until: ContinuousClock.Instant, by id: TransferID) -> [TransferID] {
        held.hold(origin, until: until, by: id)
        set(Alarm(due: until, cause: .release(origin: origin)))
        return ready.keys.filter { $0.origin == origin }.flatMap { ready.waiting(with: $0, limit: 500) }
    }

    /// Discards the delay that a server requested from a transfer.
    ///
    /// - Returns: Whether that releases an origin.
    @discardableResult
    mutating func release(by id: TransferID) -> Bool { !held.isEmpty && !held.release(by: id).isEmpty }

    mutating func release(_ origin: String) { held.release(origin) }

    /// Returns when a throttled origin accepts requests again, or `nil` if it does already.
    package func holdEnd(_ origin: String) -> ContinuousClock.Instant? { held.end(of: origin) }

    // MARK: Deadlines

    /// Sets a transfer's deadline. It gets an alarm if that is near. Otherwise a later look-ahead finds it.
    ///
    /// - Parameters:
    ///   - due: The deadline in the journal.
    ///   - rest: The seconds left, if known exactly.
    mutating func setDue(
        _ id: TransferID, _ due: Date, rest: Double? = nil, at now: ActiveTime.Instant, _ clock: ContinuousClock.Instant
    ) {
        guard let seconds = dues.rest(until: due, exactly: rest, at: now) else { return }
        ringDue(id, at: clock + .wait(seconds: min(seconds, TransferMachine.untilAnswered)))
    }

    /// Whether a transfer's deadline is near enough for an alarm.
    mutating func isSoon(_ due: Date, at now: ActiveTime.Instant) -> Bool {
        dues.rest(until: due, exactly: nil, at: now) != nil
    }

    /// Sets a transfer's deadline alarm, unless it already has one.
    mutating func ringDue(_ id: TransferID, at moment: ContinuousClock.Instant) {
        // An alarm set before the transfer was suspended goes off too early and is then set again.
        if dues.begin(id) { set(Alarm(due: moment, cause: .due(id))) }
    }

    /// The transfers with a deadline alarm.
    package var haveAlarms: Set<TransferID> { dues.alarmed }

    /// Records that a transfer's deadline alarm went off.
    mutating func dueRang(_ id: TransferID) { dues.rang(id) }

    /// Extends the deadline horizon. The next look-ahead follows after ``DueTransfers/interval``.
    ///
    /// - Returns: The range of deadlines that get alarms. If `after` is `nil`, it has no lower bound.
    mutating func lookAhead(
        at now: ActiveTime.Instant, _ clock: ContinuousClock.Instant
    ) -> (after: Date?, through: Date) {
        set(Alarm(due: clock + .seconds(dues.interval), cause: .schedule))
        return dues.advance(at: now)
    }

    // MARK: Alarms

    /// When the next alarm is due.
    package var nextAlarm: ContinuousClock.Instant? { alarms.next }

    mutating func set(_ alarm: Alarm) {
        let (delayed, held, dues) = (delayed, held, dues)
        alarms.set(alarm) { other in
            switch other.cause {
            case .retry(let id): delayed[id]?.until == other.due
            case .due(let id): dues.alarmed.contains(id)
            case .release(let origin): held.contains(origin)
            case .schedule, .lease, .sweep, .cleanUp, .settling, .trialEnds, .upkeep, .launch: true
            }
        }
    }

    /// Removes the alarms that are due, and makes transfers ready whose delays have ended.
    ///
    /// - Returns: The causes of the other alarms, in order, for the service to handle.
    mutating func ring(at now: ContinuousClock.Instant) -> [Alarm.Cause] {
        var causes: [Alarm.Cause] = []
        while let alarm = alarms.takeDue(at: now) {
            switch alarm.cause {
            case .retry(let id):
                // A later delay of the same transfer has its own alarm.
                guard let waiting = delayed[id], waiting.until <= now else { continue }
                delayed[id] = nil
                ready.insert(id, waiting.key)
            case .release(let origin): held.expire(origin, at: now)
            case .due, .schedule, .lease, .sweep, .cleanUp, .trialEnds, .settling, .launch, .upkeep:
                causes.append(alarm.cause)
            }
        }
        return causes
    }
}
