import FerryCore
import Foundation

/// Transfers that have no slot: what each waits for, and until when.
///
/// Each transfer stands in one place: in line for a slot, delayed until a moment, or in the journal alone, behind the first
/// transfers of its line. A transfer in line is found by its key alone, so that a million cost eight bytes each; before a
/// transfer gets another key, it is taken out by the old one.
///
/// A value without clock and I/O: calls that depend on the time bring it. The service owns it, and tells it what happens.
struct WaitingTransfers: Sendable {
    private var ready = ReadyQueue()
    /// Transfers that wait in the journal alone.
    private var backlog = Backlog<StoredQueueKey>()
    private var delayed: [TransferID: DelayedTransfer] = [:]
    private var held = ThrottledOrigins()
    private var dues: DueTransfers
    private var alarms = Alarms()
    /// Sessions whose transfers are about to get other keys: until then they stand under the keys that they had.
    private var changing: Set<SessionID> = []
    /// Transfers that kept their keys when the keys of their session changed; callers may know them by another key.
    private var strays: [TransferID: QueueKey] = [:]
    /// How often the keys of a session have changed.
    private var keyChanges = 0

    /// - Parameter lookAhead: seconds for which it is known whose time is over.
    init(lookAhead: Double) { dues = DueTransfers(lookAhead: lookAhead) }

    // MARK: In line

    /// Puts a transfer in line for a slot, in place of the moment that it waited for.
    mutating func insert(_ id: TransferID, _ key: QueueKey) {
        leave(id, key)
        ready.insert(id, key)
    }

    /// Puts transfers in line that stand nowhere.
    mutating func insert(_ ids: some Collection<TransferID>, _ key: QueueKey) { ready.insert(ids, key) }

    /// Lets a transfer wait for a moment, in place of its line or of another moment; for one that has no end, nothing rings.
    mutating func delay(_ id: TransferID, _ waiting: DelayedTransfer) {
        leave(id, waiting.key)
        delayed[id] = waiting
        if waiting.hasEnd { set(Alarm(due: waiting.until, cause: .retry(id))) }
    }

    /// Takes a transfer out of every line.
    mutating func leave(_ id: TransferID, _ key: QueueKey) {
        if !ready.remove(id, key) {
            if let stray = strays[id] { ready.remove(id, stray) }
            if changing.contains(key.session) { ready.remove([id], of: key.session) }
        }
        strays[id] = nil
        if let waiting = delayed.removeValue(forKey: id), waiting.key != key { ready.remove(id, waiting.key) }
    }

    /// Transfers that were taken out of line, and where they stood.
    struct TakenOut: Sendable {
        let session: SessionID
        fileprivate let ready: [(id: TransferID, key: QueueKey)]
        fileprivate let delayed: [TransferID: DelayedTransfer]
        fileprivate let keyChanges: Int
    }

    /// Takes transfers of a session out of every line.
    @discardableResult
    mutating func leave(_ ids: Set<TransferID>, of session: SessionID) -> TakenOut {
        var waiting: [TransferID: DelayedTransfer] = [:]
        if delayed.count < ids.count {
            waiting = delayed.filter { ids.contains($0.key) }
        } else {
            for id in ids { waiting[id] = delayed[id] }
        }
        for id in waiting.keys { delayed[id] = nil }
        return TakenOut(
            session: session, ready: ready.remove(ids, of: session), delayed: waiting, keyChanges: keyChanges)
    }

    /// Puts transfers that were taken out back where they stood.
    ///
    /// - Returns: whether keys have changed meanwhile, so that the keys of this session have to change once more.
    @discardableResult
    mutating func comeBack(_ taken: TakenOut, unless isLive: (TransferID) -> Bool) -> Bool {
        for (id, key) in taken.ready where !isLive(id) { ready.insert(id, key) }
        // The alarm of a delayed transfer may have rung meanwhile.
        for (id, waiting) in taken.delayed where !isLive(id) { delay(id, waiting) }
        return taken.keyChanges != keyChanges && changing.insert(taken.session).inserted
    }

    /// Takes out the transfer that gets the next slot; nil if none that waits may run.
    mutating func next(
        isInOrder: (SessionID) -> Bool, mayRun: (QueueKey) -> Bool
    ) -> (id: TransferID, key: QueueKey)? {
        ready.next(isInOrder: isInOrder, mayRun: mayRun)
    }

    /// Puts the transfers in line that wait for a reason that is gone, once they may begin.
    ///
    /// - Parameter session: only transfers of this session; nil stands for all sessions.
    mutating func wake(
        waitingFor reason: WaitReason, in session: SessionID? = nil, at now: ContinuousClock.Instant
    ) {
        for (id, waiting) in delayed where waiting.reason == reason {
            guard session == nil || waiting.key.session == session else { continue }
            if let later = waiting.withoutCause(at: now) {
                delay(id, later)
                continue
            }
            delayed[id] = nil
            ready.insert(id, waiting.key)
        }
    }

    /// Lets a session's transfers come in this order; transfers that are not named come after, the oldest first.
    mutating func order(_ session: SessionID, _ ids: [TransferID]) { ready.order(session, ids) }

    /// Takes out all transfers that stand in line with a key.
    mutating func removeAll(with key: QueueKey) -> [TransferID] { ready.removeAll(with: key) }

    /// Notes that the keys of a session's transfers are about to change: what is known of them may name the new ones.
    mutating func beginChangingKeys(of session: SessionID) { changing.insert(session) }

    /// Gives other keys to all waiting transfers of a session.
    ///
    /// - Parameters:
    ///   - changed: the key of a transfer in place of the one that it has; nil if it is not known, as it is new or about to leave.
    ///   - lineKey: the key of a line of the journal.
    /// - Returns: the transfers in line, with the keys that they had and have.
    mutating func changeKeys(
        of session: SessionID, to changed: (QueueKey, TransferID) -> QueueKey?,
        lines lineKey: (StoredQueueKey) -> QueueKey
    ) -> [(id: TransferID, old: QueueKey, new: QueueKey)] {
        keyChanges += 1
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

    /// The moment that a transfer waits for; nil if it stands in line or nowhere.
    func delay(of id: TransferID) -> DelayedTransfer? { delayed[id] }

    /// How many transfers stand in line for a slot.
    var count: Int { ready.count }

    /// The keys of the transfers in line.
    var keys: some Collection<QueueKey> { ready.keys }

    /// The transfers that stand in line with a key, oldest first, up to a limit.
    func waiting(with key: QueueKey, limit: Int) -> [TransferID] { ready.waiting(with: key, limit: limit) }

    /// How many transfers stand in line for an origin.
    func waiting(for origin: String) -> Int { ready.waiting(for: origin) }

    /// The transfers of a session, among some ids, that wait for a moment, oldest first.
    func delayed(of session: SessionID, among ids: Set<TransferID>) -> [TransferID] {
        delayed.filter { $0.value.key.session == session && ids.contains($0.key) }.map(\.key).sorted()
    }

    /// The transfers that wait for a moment, for a reason.
    func waiting(for reason: WaitReason) -> [(id: TransferID, key: QueueKey)] {
        delayed.filter { $0.value.reason == reason }.map { ($0.key, $0.value.key) }
    }

    /// The transfers of a session, or of all, that wait for a moment for one of some reasons.
    func delayed(for reasons: Set<WaitReason>, of session: SessionID?) -> Set<TransferID> {
        Set(
            delayed.filter { reasons.contains($0.value.reason) && (session == nil || $0.value.key.session == session) }
                .keys)
    }

    /// How many transfers of each session wait for an answer of its app.
    var asking: [SessionID: Int] {
        var asking: [SessionID: Int] = [:]
        for waiting in delayed.values where waiting.reason == .authentication {
            asking[waiting.key.session, default: 0] += 1
        }
        return asking
    }

    // MARK: Transfers in the journal alone

    /// A line that is shorter is read on.
    private static let shortLine = 64

    /// Notes that the transfers of a line after an id, and up to another, are to be read when the line is short.
    mutating func leaveToJournal(
        _ line: StoredQueueKey, _ key: QueueKey, after first: TransferID, through last: TransferID
    ) {
        backlog.add(line, key, after: first, through: last)
    }

    func hasBacklog(of session: SessionID) -> Bool { !backlog.sources { $0.session == session }.isEmpty }

    /// Begins to read on where a line is short; nil if none is, or if the last reading has not ended.
    mutating func beginReading() -> Backlog<StoredQueueKey>.Reading? {
        guard !backlog.isEmpty else { return nil }
        let ready = ready
        return backlog.begin { ready.waiting(with: $0) < Self.shortLine }
    }

    /// Puts transfers in line that were read.
    ///
    /// - Parameters:
    ///   - isEnd: whether the line has no more.
    ///   - isBusy: whether a transfer is being acted upon; it is left to the next time.
    /// - Returns: whether there may be more to be had at once.
    mutating func endReading(
        _ reading: Backlog<StoredQueueKey>.Reading, _ ids: [TransferID], isEnd: Bool, isBusy: (TransferID) -> Bool,
        isLive: (TransferID) -> Bool
    ) -> Bool {
        guard let taken = backlog.end(reading, ids, isEnd: isEnd, isBusy: isBusy) else { return false }
        ready.insert(taken.ids.filter { !isLive($0) && delayed[$0] == nil }, taken.key)
        return taken.continues
    }

    /// Ends a reading without a result.
    mutating func abandonReading() { backlog.abandon() }

    /// Notes that a transfer was acted upon: what is being read of it may be old.
    mutating func touch(_ id: TransferID) { backlog.touch(id) }

    // MARK: Origins that are left alone

    var throttledOrigins: Set<String> { held.origins }

    /// Holds every new request to an origin back until a moment, since its server said so to a transfer.
    ///
    /// - Returns: the transfers in line for the origin, up to 500 of each line.
    mutating func hold(_ origin: String, until: ContinuousClock.Instant, by id: TransferID) -> [TransferID] {
        held.hold(origin, until: until, by: id)
        set(Alarm(due: until, cause: .release(origin: origin)))
        return ready.keys.filter { $0.origin == origin }.flatMap { ready.waiting(with: $0, limit: 500) }
    }

    /// Forgets what a transfer was told by a server.
    ///
    /// - Returns: whether that releases an origin.
    @discardableResult
    mutating func release(by id: TransferID) -> Bool { !held.isEmpty && !held.release(by: id).isEmpty }

    mutating func release(_ origin: String) { held.release(origin) }

    /// When an origin that is held may be asked again; nil if it may now.
    func holdEnd(_ origin: String) -> ContinuousClock.Instant? { held.end(of: origin) }

    // MARK: Ends of time

    /// Notes when the time of a transfer is over, so that an alarm rings if that is soon; otherwise a later look finds it.
    ///
    /// - Parameters:
    ///   - due: what the journal says.
    ///   - rest: seconds, where they are known exactly.
    mutating func setDue(
        _ id: TransferID, _ due: Date, rest: Double? = nil, at now: ActiveTime.Instant, _ clock: ContinuousClock.Instant
    ) {
        guard let seconds = dues.rest(until: due, exactly: rest, at: now) else { return }
        ringDue(id, at: clock + .wait(seconds: min(seconds, TransferMachine.untilAnswered)))
    }

    /// Whether the time of a transfer is over so soon that an alarm is set for it.
    mutating func isSoon(_ due: Date, at now: ActiveTime.Instant) -> Bool {
        dues.rest(until: due, exactly: nil, at: now) != nil
    }

    /// Rings for a transfer at a moment, unless an alarm is set for it already.
    mutating func ringDue(_ id: TransferID, at moment: ContinuousClock.Instant) {
        // An alarm that was set before a suspension rings too early, and is set again then.
        if dues.begin(id) { set(Alarm(due: moment, cause: .due(id))) }
    }

    /// The transfers with an alarm for the end of their time.
    var haveAlarms: Set<TransferID> { dues.alarmed }

    /// Notes that the alarm of a transfer has rung.
    ///
    /// - Parameter isBusy: whether it is being acted upon; then it rings again after that.
    mutating func dueRang(_ id: TransferID, isBusy: Bool) { dues.rang(id, isBusy: isBusy) }

    /// Whether the time of a transfer was over while it was acted upon.
    mutating func takeDueAfterTurn(_ id: TransferID) -> Bool { dues.takeAfterTurn(id) }

    /// Looks further ahead; the next look is made after ``DueTransfers/interval``.
    ///
    /// - Returns: the moments between which transfers that are due get alarms; if the first is nil, all transfers that are due
    ///   by the last.
    mutating func lookAhead(
        at now: ActiveTime.Instant, _ clock: ContinuousClock.Instant
    ) -> (after: Date?, through: Date) {
        set(Alarm(due: clock + .seconds(dues.interval), cause: .schedule))
        return dues.look(at: now)
    }

    // MARK: Alarms

    /// When the next alarm rings.
    var nextAlarm: ContinuousClock.Instant? { alarms.next }

    mutating func set(_ alarm: Alarm) {
        let (delayed, held, dues) = (delayed, held, dues)
        alarms.set(alarm) { other in
            switch other.cause {
            case .retry(let id): delayed[id]?.until == other.due
            case .due(let id): dues.alarmed.contains(id)
            case .release(let origin): held.contains(origin)
            case .schedule, .sweep, .cleanUp, .settling, .trialEnds, .upkeep, .launch: true
            }
        }
    }

    /// Takes the alarms that are due, and puts the transfers in line whose moment has come.
    ///
    /// - Returns: what the service does about the other alarms, in their order.
    mutating func ring(at now: ContinuousClock.Instant) -> [Alarm.Cause] {
        var causes: [Alarm.Cause] = []
        while let alarm = alarms.takeDue(at: now) {
            switch alarm.cause {
            case .retry(let id):
                // A later plan for the same transfer has an alarm of its own.
                guard let waiting = delayed[id], waiting.until <= now else { continue }
                delayed[id] = nil
                ready.insert(id, waiting.key)
            case .release(let origin): held.expire(origin, at: now)
            case .due, .schedule, .sweep, .cleanUp, .trialEnds, .settling, .launch, .upkeep: causes.append(alarm.cause)
            }
        }
        return causes
    }
}
