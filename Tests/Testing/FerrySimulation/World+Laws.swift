import FerryCore
import FerryEngine
import FerryRules
import Foundation

@testable import FerryQueue
@testable import FerryService

/// The broken law, and the number of checks.
struct Laws {
    private(set) var broken: String?
    private(set) var checks = 0

    mutating func fail(_ law: String) { broken = broken ?? law }
    mutating func checked(_ count: Int) { checks += count }
}

/// The laws of a simulated service.
extension World {
    /// Checks what the last step may have broken.
    func check() {
        guard laws.broken == nil else { return }
        laws.checked(2)
        let hasEvents = rows.log.last > ledger.last
        if let fault = machine.store.fault { require(false, fault) }
        if let fault = ledger.faultOfEvents(rows) { require(false, fault) }
        if hasEvents || scheduler.isIdle, let fault = ledger.fault(rows) { require(false, fault) }
        guard let service else {
            // A start waits for names that were being changed, for a second at most.
            let isLate = machine.elapsed > process.startedAt + 5
            return require(!isLate || !scheduler.isAtPeace, "the service does not open")
        }
        isolated(service) { [unowned self] service in
            let held = service.queue.attempted
            if held != slots {
                for id in held.subtracting(slots).sorted() { checkStart(id, service) }
                for id in slots.subtracting(held) { runs[id] = nil }
                slots = held
            }
            if scheduler.log != nil { notePlaces(service) }
            // Something is under way otherwise: a transfer may be in no place for a moment.
            if scheduler.isAtPeace { checkAtPeace(service) }
        }
    }

    /// Logs the transfers that have moved.
    private func notePlaces(_ service: isolated LocalTransferService) {
        for id in rows.rows.ids(of: nil, in: Set(JournalPhase.allCases)) {
            let running = service.queue.running
            var place = running.contains(id) ? "slot \(running.disposition(of: id).map { "\($0)" } ?? "")" : ""
            if service.queue.waitingTransfers.delay(of: id) != nil { place += " delay" }
            for key in service.queue.waitingTransfers.keys
            where service.queue.waitingTransfers.waiting(with: key, limit: .max).contains(id) {
                place += " line \(key.origin) \(key.network.waits ? "" : "impatient")"
            }
            if service.queue.held.contains(id) { place += " held" }
            place += " \(record(id).map { "\($0.intent) \($0.outcome?.state.rawValue ?? "")" } ?? "")"
            if places[id] != place { scheduler.comment("    \(id): \(place)") }
            places[id] = place
        }
    }

    private func checkAtPeace(_ service: isolated LocalTransferService) {
        require(Set(service.queue.running.ids) == slots, "slots and attempts are not the same")
        guard !service.life.isEnding else {
            for (id, run) in runs { require(run.isToStop || run.hasReported, "\(id) runs on while the process ends") }
            return
        }
        guard !isEnding else { return }
        let told = isolatedHub(service)
        require(told == rows.log.last, "event \(rows.log.last) is stored, and listeners know \(told)")
        checkPlaces(service)
        checkRuns(service)
        checkSlots(service)
    }

    private func isolatedHub(_ service: isolated LocalTransferService) -> Int64 {
        service.hub.assumeIsolated { $0.lastNumber }
    }

    /// Whether an operation on a transfer has begun, so that it may be in no place.
    private func isBusy(_ id: TransferID, _ service: isolated LocalTransferService) -> Bool {
        service.queue.read({ $0.isOperatedOn(id) }) || ledger.isConcerned(id)
    }

    // MARK: Places

    /// An eligible transfer is in one place: a queue, a delay or a slot. Any other transfer is in none. A transfer that
    /// waits for a moment has an alarm.
    private func checkPlaces(_ service: isolated LocalTransferService) {
        let waitingTransfers = service.queue.waitingTransfers
        var inLine: [TransferID: [QueueKey]] = [:]
        for key in waitingTransfers.keys {
            for id in waitingTransfers.waiting(with: key, limit: .max) { inLine[id, default: []].append(key) }
        }
        for id in rows.rows.ids(of: nil, in: Set(JournalPhase.allCases)) {
            guard let record = record(id) else { continue }
            laws.checked(3)
            let session = record.request.session
            let isBusy = isBusy(id, service)
            let waiting = waitingTransfers.delay(of: id)
            let isRunning = service.queue.running.contains(id)
            let places = inLine[id, default: []].count + (waiting == nil ? 0 : 1) + (isRunning ? 1 : 0)
            require(places <= 1, "\(id) stands in \(places) places")
            if record.isEligible {
                let isInJournal = waitingTransfers.hasBacklog(of: session)
                require(places == 1 || isBusy || isInJournal, "\(id) is to run, and stands nowhere")
                checkMoments(of: record, waiting, isBusy: isBusy, service)
                let keys = inLine[id, default: []] + [waiting?.key].compactMap { $0 }
                let isChanging = isBusy || isSetting(session, service)
                require(
                    isChanging || keys.allSatisfy { $0 == service.queue.sessions.key(record) },
                    "\(id) waits in the line of others")
            } else if !isBusy {
                require(inLine[id] == nil && waiting == nil, "\(id) is not to run, and waits")
                require(!isRunning || service.queue.running.isStopping(id), "\(id) is not to run, and has a slot")
            }
            inLine[id] = nil
        }
        require(inLine.isEmpty, "\(inLine.keys.sorted()) are gone, and stand in line")
    }

    private func isSetting(_ session: SessionID, _ service: isolated LocalTransferService) -> Bool {
        service.isLocked(session) || service.isLocked(nil)
    }

    private func checkMoments(
        of record: TransferRecord, _ waiting: DelayedTransfer?, isBusy: Bool, _ service: isolated LocalTransferService
    ) {
        let (id, moment) = (record.id, service.queue.moment)
        if let waiting, waiting.hasEnd {
            let next = service.queue.waitingTransfers.nextAlarm
            require(
                next.map { $0 <= waiting.until } == true && waiting.until <= moment.clock + .seconds(200_000),
                "nothing rings for \(id)")
        }
        // A transfer that was resumed waits no more. Short waits are no retries.
        if let waiting, !isBusy, waiting.error == nil, [.retry, .server, .authentication].contains(waiting.reason) {
            let isShort = waiting.until <= moment.clock + .seconds(1)
            require(record.retry != nil || isShort, "\(id) waits for an attempt that is not planned")
        }
        guard !isBusy, !machine.wasSet, runs[id]?.isToStop != true,
            let rest = record.timeBounds.rest(at: moment.active), rest < Self.lookAhead / 3
        else { return }
        require(service.queue.waitingTransfers.haveAlarms.contains(id), "nothing rings at the end of the time of \(id)")
    }

    // MARK: Runs

    private func obstacle(to key: QueueKey) -> WaitReason? {
        ConditionRule.obstacle(
            key.network, process.report.conditions, host: String(LoopbackHost.host(ofOrigin: key.origin)),
            isLoopback: false)
    }

    private func checkRuns(_ service: isolated LocalTransferService) {
        for (id, run) in runs where !run.hasReported {
            laws.checked(2)
            guard let record = service.queue.running.record(of: id), !isBusy(id, service) else { continue }
            require(self.record(id) != nil, "\(id) is gone, and runs")
            require(!service.queue.running.onlyEnds(id), "\(id) is only to end, and runs")
            // A transfer with all of its bytes needs no network.
            if !run.isWhole, !run.isToStop, !isSetting(record.request.session, service) {
                let reason = obstacle(to: service.queue.sessions.key(record))
                require(reason == nil, "\(id) runs against the networks")
            }
            require(
                run.isToStop || service.queue.running.disposition(of: id) == .continues,
                "\(id) is to stop, and its run was not told so")
            if let row = self.record(id), row.outcome == nil, !run.isToStop {
                require(row.request.url == record.request.url, "\(id) asks for an address that was changed")
            }
        }
        for id in service.queue.running.waitingForNames {
            require(runs[id]?.waitsForName == true, "\(id) lends its slot, and waits for no name")
        }
        for origin in service.queue.waitingTransfers.throttledOrigins {
            laws.checked(1)
            require(
                ledger.isHeld(origin) || ledger.openCalls > 0,
                "\(origin) is held for a transfer that has ended or was resumed")
            let limit = service.queue.moment.clock + .seconds(Origin.longestHold + 1)
            let end = service.queue.waitingTransfers.holdEnd(origin)
            require(end.map { $0 <= limit } == true, "\(origin) is held for too long")
            let next = service.queue.waitingTransfers.nextAlarm
            require(
                end.map { end in next.map { $0 <= end } ?? false } == true, "nothing rings for \(origin)")
        }
    }

    /// Checks a transfer that has got a slot.
    private func checkStart(_ id: TransferID, _ service: isolated LocalTransferService) {
        require(!service.queue.held.contains(id), "\(id) starts while its row or its files are changed")
        laws.checked(3)
        require(!service.life.isEnding, "\(id) gets a slot while the process ends")
        guard !service.queue.running.onlyEnds(id) else { return }
        let record = record(id)
        require(record?.isEligible == true || isBusy(id, service), "\(id) gets a slot, and is not to run")
        require(!ledger.isKnownToRest(id), "\(id) gets a slot, and a client was told that it rests")
        guard let record, let key = service.queue.running.key(of: id), !isBusy(id, service) else { return }
        if let begin = record.request.timing.notBefore, !machine.wasSet {
            require(
                begin <= service.queue.clock.wall.addingTimeInterval(0.001), "\(id) gets a slot before it may begin")
        }
        guard !isSetting(key.session, service), !ledger.isReordering(key.session) else { return }
        let obstacle = slotObstacle(key, without: id, service)
        require(obstacle == nil, "\(id) gets a slot against the limits, \(obstacle.map(\.rawValue) ?? "")")
        for other in service.queue.waitingTransfers.waiting(with: key, limit: .max) where !isBusy(other, service) {
            require(comes(id, before: other, of: key.session), "\(id) gets a slot before \(other)")
        }
    }

    /// Checks the transfers that got their slots during a start.
    func checkFirstSlots(_ service: isolated LocalTransferService) {
        for id in slots where !service.queue.running.onlyEnds(id) {
            guard let key = service.queue.running.key(of: id), !service.life.isEnding else { continue }
            for other in service.queue.waitingTransfers.waiting(with: key, limit: .max) {
                // Others have become ready since.
                guard let record = record(other), record.retry == nil, record.request.timing.notBefore == nil else {
                    continue
                }
                require(comes(id, before: other, of: key.session), "\(id) gets a slot before \(other)")
            }
        }
    }

    /// Whether a transfer precedes another of its session.
    private func comes(_ id: TransferID, before other: TransferID, of session: SessionID) -> Bool {
        let order = rows.registry[session]?.order ?? []
        func rank(_ id: TransferID) -> Int { order.firstIndex(of: id) ?? .max }
        return (rank(id), id) < (rank(other), other)
    }

    // MARK: Slots

    /// No slot is idle while a transfer may use it, and each reported obstacle exists.
    private func checkSlots(_ service: isolated LocalTransferService) {
        let limits = service.queue.read(\.limits)
        let settings = service.queue.sessions.settings
        require(
            service.queue.running.smallFiles.allSatisfy {
                $0.value <= max(settings.connectionsPerHost, settings.smallFilesPerHost)
            }, "more small files at a time than the settings allow")
        for key in service.queue.waitingTransfers.keys {
            laws.checked(2)
            let own = slotObstacle(key, service)
            let obstacle = obstacle(to: key) ?? own
            require(
                obstacle != nil || !service.queue.conditions.isSettled(key), "a slot is idle, and \(key.origin) waits")
            require(service.queue.conditions.isSettled(key), "the conditions of \(key.origin) are not watched")
            require(
                isSetting(key.session, service) || limits.obstacle(key) == own,
                "the reason of \(key.origin) is not true")
        }
    }

    /// Returns the obstacle for one more transfer with a key, counted from the runs and the stored settings.
    ///
    /// - Parameter own: A transfer not to count.
    private func slotObstacle(
        _ key: QueueKey, without own: TransferID? = nil, _ service: isolated LocalTransferService
    ) -> WaitReason? {
        let registry = rows.registry
        let isChanging = service.isLocked(nil)
        let settings = isChanging ? service.queue.sessions.settings : registry.settings ?? Self.firstSettings
        func limits(_ id: SessionID) -> SessionSettings {
            let known = service.queue.sessions.settings(of: id)
            let isOwn =
                service.isLocked(id) || registry[id] == nil || service.queue.apps.contains(id)
            return isOwn ? known : registry[id]?.settings ?? known
        }
        let lending = Set(service.queue.running.waitingForNames)
        let counted = service.queue.attempted.compactMap { id -> (key: QueueKey, isWhole: Bool)? in
            guard id != own else { return nil }
            let run = runs[id] ?? RunState()
            guard let key = service.queue.running.key(of: id), !lending.contains(id) else { return nil }
            guard !service.queue.running.onlyEnds(id) else { return nil }
            guard !run.isInMemory || limits(key.session).activeTransfers != nil else { return nil }
            return (key, run.isWhole)
        }
        let connected = counted.filter { !$0.isWhole }
        let numbers = Dictionary(grouping: connected, by: \.key.origin).mapValues(\.count)
        let number = numbers[key.origin] ?? 0
        // Small files beyond the connections of their host take no slot.
        let small = service.queue.running.smallFiles
        let extra = small.keys.reduce(0) { $0 + max(0, (numbers[$1] ?? 0) - settings.connectionsPerHost) }
        let most = max(settings.connectionsPerHost, small[key.origin] ?? 0)
        let isExtra = number >= settings.connectionsPerHost && number < most
        if isExtra ? counted.count >= settings.connectionsTotal : counted.count - extra >= settings.activeTransfers {
            return .slot
        }
        let ofSession = counted.filter { $0.key.session == key.session }
        if let limit = limits(key.session).activeTransfers, ofSession.count >= limit { return .session }
        if service.queue.waitingTransfers.throttledOrigins.contains(key.origin) { return .server }
        if number >= most { return .host }
        let ofSameSession = connected.count { $0.key.session == key.session && $0.key.origin == key.origin }
        if let limit = limits(key.session).hostConnections, ofSameSession >= limit { return .host }
        return nil
    }

    // MARK: Rest

    /// Finishes everything, with working networks, folders and disks, and checks that nothing is left.
    func settle() {
        machine.isCalm = true
        (machine.fullCommits, machine.breaksJournal) = (0, false)
        _ = perform(.networks(Networks()))
        _ = perform(.folders(answer: true))
        var (steps, peaces) = (0, 0)
        while laws.broken == nil, !isAtRest, steps < 40_000 {
            if !step() { break }
            steps += 1
            if steps % 200 == 0 { _ = perform(.answerChallenges) }
            // Some wait for a day.
            if scheduler.isAtPeace { peaces += 1 }
            if peaces % 10 == 9 { scheduler.pass(1_000_000_000_000) }
        }
        guard laws.broken == nil else { return }
        require(isAtRest, "not everything comes to rest: \(unrest)")
        for session in Self.sessions.indices where readers[session] == nil || readers[session]?.isSlow == true {
            _ = leave(session)
            _ = listen(session, isSlow: false)
        }
        while laws.broken == nil, steps < 60_000, !(scheduler.isIdle && isAtRest) {
            if !step() { break }
            steps += 1
        }
        for (session, reader) in readers where laws.broken == nil && reader.last != .max {
            let left = ledger.events(after: reader.last ?? 0, of: Self.sessions[session], limit: 1)
            require(
                left.isEmpty
                    || reader.last == nil && left.last.map { $0.number <= inboxes[session].acknowledged } == true,
                "\(Self.sessions[session]) was never told of event \(left.first?.number ?? 0)")
        }
        if let difference = machine.store.difference() { require(false, difference) }
    }

    private var unfinished: [TransferID] { rows.rows.ids(of: nil, in: [.pending, .canceling]) }

    private var unrest: String {
        let records = unfinished.compactMap(record).map { record in
            let delay = service.map { service in isolated(service) { $0.queue.waitingTransfers.delay(of: record.id) } }
            return
                "\(record.id) \(record.intent) \(record.retry.map { "\($0)" } ?? "-") \(delay.map { "\(String(describing: $0))" } ?? "-")"
        }
        return
            "\(records) \(runs.keys.sorted()) \(ledger.openCalls) calls, \(journal.open) changes, elapsed \(machine.elapsed)"
    }

    private var isAtRest: Bool {
        guard let service, !isEnding, ledger.openCalls == 0, unfinished.isEmpty, journal.open == 0 else { return false }
        return isolated(service) { $0.queue.running.isEmpty && $0.queue.waitingTransfers.count == 0 }
    }
}

extension LiveQueue {
    /// The transfers with an attempt.
    nonisolated var attempted: Set<TransferID> { assumeIsolated { Set($0.attempts.keys) } }
}

extension LocalTransferService {
    /// Whether the settings of a session, or of the service (`nil`), are being changed.
    fileprivate func isLocked(_ session: SessionID?) -> Bool {
        parts.settings.assumeIsolated { $0.isLocked(session) }
    }
}
