import FerryCore
import Foundation

@testable import FerryService

/// The broken law, and the number of checks.
struct Laws {
    private(set) var broken: String?
    private(set) var checks = 0

    mutating func fail(_ law: String) { broken = broken ?? law }
    mutating func checked(_ count: Int) { checks += count }
}

/// The laws of the simulated world.
extension SimulatedWorld {
    /// Looks at every law after a step.
    mutating func check() {
        laws.checked(4)
        if let fault = ledger.faultOfEvents(journal.rows) ?? ledger.fault(journal.rows) ?? hub.fault {
            laws.fail(fault)
        }
        let (stored, told) = (journal.rows.log.last, hub.last)
        require(
            surroundings.isEnding || journal.isWriting || told == stored,
            "event \(stored) is stored and answered, and listeners know \(told)")
        require(Set(queue.running.ids) == Set(attempts.ids), "slots and attempts are not the same")
        guard surroundings.isOpen, !surroundings.isEnding else { return }
        checkPlaces()
        checkAttempts()
        checkSlots()
    }

    /// Whether something is being done to a transfer, so that it may be in no place for a moment.
    private func isBusy(_ id: TransferID, _ session: SessionID) -> Bool {
        turns.isTaken(id) || surroundings.isActing(in: session)
            || journal.errands.contains {
                switch $0 {
                case .submission(let first): id.number >= first && id.number < first + 10
                case .ending(let number), .report(let number), .lookup(let number), .command(let number),
                    .removal(let number):
                    number == id.number
                case .ends, .start: true
                default: false
                }
            }
    }

    // MARK: Places

    /// Each transfer that is to run stands in one place, any other one in none; alarms are set for what waits for a
    /// moment.
    private mutating func checkPlaces() {
        var inLine: [TransferID: [QueueKey]] = [:]
        for key in queue.waitingTransfers.keys {
            for id in queue.waitingTransfers.waiting(with: key, limit: .max) { inLine[id, default: []].append(key) }
        }
        let rows = journal.rows
        for id in rows.rows.ids(of: nil, in: Set(JournalPhase.allCases)) {
            guard let record = rows.rows[id]?.record else { continue }
            laws.checked(3)
            let session = record.request.session
            let isBusy = isBusy(id, session)
            let waiting = queue.waitingTransfers.delay(of: id)
            let isRunning = queue.running.contains(id)
            let places = inLine[id, default: []].count + (waiting == nil ? 0 : 1) + (isRunning ? 1 : 0)
            require(places <= 1, "\(id) stands in \(places) places")
            if record.isEligible {
                let isInJournal = queue.waitingTransfers.hasBacklog(of: session)
                require(places == 1 || isBusy || isInJournal, "\(id) is to run, and stands nowhere")
                checkMoments(of: record, waiting, isBusy: isBusy)
                let keys = inLine[id, default: []] + [waiting?.key].compactMap { $0 }
                let isChanging =
                    isBusy || surroundings.isSetting(session) || surroundings.isSetting(nil)
                    || journal.errands.contains { $0 == .policies(Surroundings.sessions.firstIndex(of: session) ?? 0) }
                require(isChanging || keys.allSatisfy { $0 == key(record) }, "\(id) waits in the line of others")
            } else if !isBusy {
                require(inLine[id] == nil && waiting == nil, "\(id) is not to run, and waits")
                require(!isRunning || queue.running.isStopping(id), "\(id) is not to run, and has a slot")
            }
            inLine[id] = nil
        }
        require(inLine.isEmpty, "\(inLine.keys.sorted()) are gone, and stand in line")
    }

    private mutating func checkMoments(of record: TransferRecord, _ waiting: DelayedTransfer?, isBusy: Bool) {
        let id = record.id
        if let waiting, waiting.hasEnd {
            require(
                queue.waitingTransfers.nextAlarm.map { $0 <= waiting.until } == true
                    && waiting.until <= clock.moment.clock + .seconds(200_000), "nothing rings for \(id)")
        }
        guard !isBusy, let rest = record.timeBounds.rest(at: clock.moment.active), rest < Self.lookAhead / 3,
            attempts[id]?.isToStop != true, !journal.errands.contains(.dueSoon), !clock.wasSet
        else { return }
        require(queue.waitingTransfers.haveAlarms.contains(id), "nothing rings at the end of the time of \(id)")
    }

    // MARK: Attempts

    private mutating func checkAttempts() {
        for (id, attempt) in attempts.all {
            laws.checked(2)
            guard let record = queue.running.record(of: id), attempt.hasRun else { continue }
            require(journal.record(id) != nil, "\(id) is gone, and runs")
            let session = attempt.key.session
            // A transfer with all of its bytes needs no network.
            if !attempt.isWhole, !attempt.isToStop, !surroundings.isSetting(session), !turns.isTaken(id) {
                let reason = ConditionRule.obstacle(
                    key(record).network, surroundings.report.conditions, isLoopback: false)
                require(reason == nil, "\(id) runs against the networks")
            }
            require(
                attempt.isToStop || attempt.isSettling || queue.running.disposition(of: id) == .continues,
                "\(id) is to stop, and its run was not told so")
            if let row = journal.record(id), !turns.isTaken(id), row.outcome == nil, !attempt.isToStop {
                require(row.request.url == record.request.url, "\(id) asks for an address that was changed")
            }
        }
        for origin in queue.waitingTransfers.throttledOrigins {
            laws.checked(1)
            require(ledger.isHeld(origin), "\(origin) is held for a transfer that has ended or was resumed")
            let limit = clock.moment.clock + .seconds(ThrottledOrigins.longest + 1)
            require(
                queue.waitingTransfers.holdEnd(origin).map { $0 <= limit } == true, "\(origin) is held for too long")
            require(
                queue.waitingTransfers.holdEnd(origin).map { end in
                    queue.waitingTransfers.nextAlarm.map { $0 <= end } ?? false
                } == true,
                "nothing rings for \(origin)")
        }
    }

    /// Looks whether a transfer may get a slot now.
    mutating func checkStart(_ id: TransferID, _ key: QueueKey) {
        laws.checked(5)
        require(attempts[id] == nil, "\(id) gets a second slot")
        require(!surroundings.isEnding, "\(id) gets a slot while the process ends")
        let record = journal.record(id)
        require(record?.isEligible == true || turns.isTaken(id), "\(id) gets a slot, and is not to run")
        require(!ledger.isKnownToRest(id), "\(id) gets a slot, and a client was told that it rests")
        let obstacle = obstacle(key)
        require(obstacle == nil, "\(id) gets a slot against \(obstacle.map(\.rawValue) ?? "")")
        if let begin = record?.request.notBefore, !clock.wasSet, !turns.isTaken(id) {
            require(begin <= clock.moment.wall.addingTimeInterval(0.001), "\(id) gets a slot before it may begin")
        }
        guard !surroundings.isSetting(key.session) else { return }
        let order = journal.rows.registry[key.session]?.order ?? []
        func rank(_ id: TransferID) -> Int { order.firstIndex(of: id) ?? .max }
        for other in queue.waitingTransfers.waiting(with: key, limit: .max) {
            require((rank(id), id) < (rank(other), other), "\(id) gets a slot before \(other)")
        }
    }

    // MARK: Slots

    /// No slot is idle while a transfer may use it, and what is said to be in the way of one is so.
    private mutating func checkSlots() {
        let limits = queue.limits
        for key in queue.waitingTransfers.keys {
            laws.checked(2)
            let obstacle = obstacle(key)
            require(obstacle != nil || !queue.conditions.isSettled(key), "a slot is idle, and \(key.origin) waits")
            require(
                queue.conditions.isSettled(key) || journal.errands.contains(.start),
                "what \(key.origin) depends on is not watched")
            let isChanging = surroundings.isSetting(nil) || surroundings.isSetting(key.session)
            require(isChanging || limits.obstacle(key) == slotObstacle(key), "the reason of \(key.origin) is not true")
        }
    }

    private func obstacle(_ key: QueueKey) -> WaitReason? {
        ConditionRule.obstacle(key.network, surroundings.report.conditions, isLoopback: false) ?? slotObstacle(key)
    }

    /// Returns the obstacle for one more transfer with a key, counted from the attempts and the stored settings.
    private func slotObstacle(_ key: QueueKey) -> WaitReason? {
        let rows = journal.rows.registry
        let isChanging = surroundings.isSetting(nil)
        let settings = isChanging ? queue.sessions.settings : rows.settings ?? surroundings.first
        func limits(_ id: SessionID) -> SessionSettings {
            let known = queue.sessions.settings(of: id)
            return surroundings.isSetting(id) || rows[id] == nil || queue.apps.contains(id)
                ? known : rows[id]?.settings ?? known
        }
        let counted = attempts.all.values.filter { attempt in
            !attempt.lendsSlot && (!attempt.isInMemory || limits(attempt.key.session).activeTransfers != nil)
        }
        if counted.count >= settings.activeTransfers { return .slot }
        let ofSession = counted.filter { $0.key.session == key.session }
        if let limit = limits(key.session).activeTransfers, ofSession.count >= limit { return .session }
        if queue.waitingTransfers.throttledOrigins.contains(key.origin) { return .server }
        let connected = counted.filter { !$0.isWhole && $0.key.origin == key.origin }
        if connected.count >= settings.connectionsPerHost { return .host }
        let own = connected.count { $0.key.session == key.session }
        if let limit = limits(key.session).hostConnections, own >= limit { return .host }
        return nil
    }

    // MARK: Rest

    /// Finishes everything, with working networks and folders, and checks that nothing is left.
    package mutating func settle() {
        _ = take(.networks(Networks()))
        _ = take(.folders(answer: true))
        for round in 0..<600 where broken == nil && !isAtRest { settleOn(round) }
        if !isAtRest { laws.fail("not all comes to rest: \(unrest)") }
        require(queue.running.isEmpty && queue.waitingTransfers.count == 0, "something is kept at rest")
        require(turns.isFree && surroundings.isIdle, "a turn is taken at rest")
        let calls = ledger.calls
        require(calls == 0, "\(calls) calls are not answered")
        for session in Surroundings.sessions where broken == nil {
            if !hub.isAttached(session) {
                _ = take(.attach(session: Surroundings.sessions.firstIndex(of: session) ?? 0))
            }
        }
        for _ in 0..<60 where broken == nil {
            for index in Surroundings.sessions.indices { _ = take(.listen(session: index)) }
            answerAll()
        }
        for session in Surroundings.sessions {
            let left = ledger.events(after: hub.seen(by: session), of: session, limit: 1)
            require(left.isEmpty, "\(session) was never told of event \(left.first?.number ?? 0)")
        }
    }

    private mutating func settleOn(_ round: Int) {
        answerAll()
        for id in attempts.ids where broken == nil {
            guard let attempt = attempts[id], attempt.hasRun else { continue }
            if !take(.end(id.number, attempt.isToStop ? .stopped : .success)) { _ = take(.losePatience(id.number)) }
        }
        for session in Surroundings.sessions { tell(.answered(session)) }
        if let next = queue.waitingTransfers.nextAlarm, !surroundings.isEnding, unrestIsTimed {
            // Some alarms come late.
            if round % 8 == 7 { clock.pass(20_000) } else { clock.pass(until: next) }
        }
        _ = take(.pass(seconds: 0.01))
        answerAll()
    }

    /// Stores all changes, and brings all answers.
    private mutating func answerAll() {
        while broken == nil, !journal.isIdle {
            _ = take(.commit(100, nil))
            for errand in journal.waitingAnswers where broken == nil { _ = take(.answer(errand, isFresh: true)) }
        }
    }

    /// Whether only time is missing.
    private var unrestIsTimed: Bool { attempts.ids.isEmpty && journal.isIdle }

    private var unfinished: [TransferID] { journal.rows.rows.ids(of: nil, in: [.pending, .canceling]) }

    private var isAtRest: Bool {
        journal.isIdle && attempts.ids.isEmpty && unfinished.isEmpty && surroundings.isOpen && !surroundings.isEnding
    }

    private var unrest: String { "\(unfinished), \(attempts.ids), \(journal.errands)" }
}
