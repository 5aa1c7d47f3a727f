import FerryCore
import Foundation

@testable import FerryService

/// Starts and ends of the process, alarms, and what an earlier process has left.
extension SimulatedWorld {
    // MARK: The process

    /// SIGKILL: what was not stored is gone. Another process starts.
    mutating func kill(reboots: Bool) {
        if reboots { clock.reboot() }
        journal = journal.afterKill
        attempts = Attempts()
        turns = SimulatedTurns()
        gatherings = Gatherings()
        soon = []
        surroundings.killed()
        ledger.killed()
        start()
    }

    mutating func start() {
        let rows = journal.rows
        let settings = mistake == .forgetsSettings ? surroundings.first : rows.registry.settings ?? surroundings.first
        queue = Queue(settings, KnownConditions { _ in false }, lastID: rows.rows.lastID, lookAhead: Self.lookAhead)
        hub = hub.afterKill(last: mistake == .countsEventsAnew ? 0 : rows.log.last)
        let end = queue.ids.last
        read(.start) { rows throws(ServiceError) in
            try Found(rows, through: end)
        } then: { world, result in
            if let found = result.value { world.takeUp(found) }
        }
    }

    /// Data read at a start.
    private struct Found {
        var timed: [PendingTransfer] = []
        var lines: [(line: StoredQueueKey, ids: [TransferID])] = []
        var sessions: [(id: SessionID, settings: SessionSettings, order: [TransferID])] = []
        var registrations: [(id: SessionID, registration: SessionRegistration, hasNews: Bool)] = []
        var suspended: [TransferRecord] = []

        init(_ rows: MemoryTransaction, through end: TransferID) throws(ServiceError) {
            try rows.forEachPending(.timed) { timed.append($0) }
            for line in try rows.lines().lines.sorted(by: { $0.origin < $1.origin }) {
                lines.append((line, try rows.ids(in: line, after: nil, through: end, limit: Queue.lineWindow)))
            }
            for session in try rows.storedSessions() {
                sessions.append((session.id, session.settings, try rows.order(of: session.id)))
            }
            for (id, registration) in try rows.registrations() {
                registrations.append((id, registration, try rows.hasEnded(id, after: registration.notifiedAt)))
            }
            suspended = try rows.records(rows.rows.ids(of: nil, in: [.suspended]))
        }
    }

    private mutating func takeUp(_ found: Found) {
        if mistake == .needsFoldersToStart, !surroundings.foldersAnswer, !journal.rows.rows.leftIDs.isEmpty { return }
        if mistake != .forgetsSettingsOfSessions {
            tell(.recovered(found.sessions.map { ($0.id, $0.settings) }))
        }
        tell(.app(.recovered([:], found.registrations)))
        if mistake != .forgetsWhatIsTimed { enqueue(found.timed) }
        if mistake == .takesUpWhatRests { for record in found.suspended { tell(.eligible(.init(record: record))) } }
        tell(.stored(found.lines))
        tell(.lookAhead)
        for session in found.sessions where !session.order.isEmpty && mistake != .forgetsOrders {
            tell(.order(session.id, session.order))
        }
        surroundings.isOpen = true
        for id in Surroundings.sessions where queue.apps.contains(id) { consider(id) }
        cleanUp()
    }

    /// The process ends when all runs have, and is started again.
    mutating func terminate() {
        surroundings.isEnding = true
        let live = attempts.ids
        switch mistake {
        case .stopsOnlyWhatHasARun: for id in live { stopRun(id) }
        case .startsWhileItEnds: tell(.stop(live))
        default: tell(.end)
        }
        wait(for: live, isPatient: true) { world, _ in
            world.require(world.queue.running.isEmpty, "the process ends, and something runs")
            world.kill(reboots: false)
        }
    }

    // MARK: Time

    mutating func pass(_ seconds: Double) {
        clock.pass(seconds)
        ring()
    }

    mutating func ring() {
        guard surroundings.isOpen, !surroundings.isEnding, let next = queue.waitingTransfers.nextAlarm,
            next <= moment.clock
        else { return }
        tell(.alarm)
    }

    mutating func work(_ cause: Alarm.Cause) {
        switch cause {
        case .cleanUp: cleanUp()
        case .due, .retry, .release, .schedule, .sweep, .trialEnds, .settling, .launch, .upkeep: break
        }
    }

    /// Finds those whose time passes soon.
    mutating func readDue(after start: Date?, through end: Date) {
        read(.dueSoon) { rows throws(ServiceError) in
            try rows.due(after: nil, from: start, through: end, limit: 1000)
        } then: { world, result in
            if world.mistake == .looksAheadInVain { return }
            world.tell(.due(result.value ?? []))
        }
    }

    /// Ends those whose alarms have rung and whose time has passed.
    mutating func pass(due: [TransferID]) {
        for id in due {
            let isFree = turns.take(id)
            tell(.rang([id], isBusy: !isFree && mistake != .forgetsWhatRingsDuringATurn))
            if isFree { passOne(id) }
        }
    }

    private mutating func passOne(_ id: TransferID) {
        read(.overdue(id.number)) { rows throws(ServiceError) in
            try rows.record(id)
        } then: { world, result in
            guard let record = result.value ?? nil, record.isEligible else { return world.leaveTurn(id) }
            if world.mistake == .ringsOnce, !Queue.isOver(record, at: world.moment) { return world.leaveTurn(id) }
            let effects = world.queue.take(.overdue(record), at: world.moment)
            world.perform(effects)
            let isOver = effects.contains { if case .expire = $0 { true } else { false } }
            if isOver { world.endOverdue(id) } else { world.leaveTurn(id) }
        }
    }

    /// Ends a transfer that is in no line.
    private mutating func endOverdue(_ id: TransferID) {
        read(.overdue(id.number)) { rows throws(ServiceError) in
            try rows.record(id)
        } then: { world, result in
            guard let record = result.value ?? nil, record.isEligible, let error = Queue.overdue(record) else {
                return world.leaveTurn(id)
            }
            guard Queue.isOver(record, at: world.moment) else {
                world.tell(.resumed(record))
                return world.leaveTurn(id)
            }
            world.finish(record, .failed(error)) { world, result in
                switch result {
                case .success(true): world.leaveTurn(id)
                case .success(false): world.endOverdue(id)
                case .failure(let error):
                    world.enqueueLater(record, error)
                    world.leaveTurn(id)
                }
            }
        }
    }

    private mutating func enqueueLater(_ record: TransferRecord, _ error: ServiceError) {
        if mistake == .losesWhatCannotEnd { return }
        let later = TransferMachine.waitInterval
        tell(
            .eligible(
                Input.Eligible(
                    record: record, delay: later, reason: error.code.row.subject.waitReason, error: error)))
        tell(.ringAgain(record.id, after: later))
    }

    // MARK: Networks and folders

    mutating func change(_ networks: Networks) -> Bool {
        var conditions = Conditions()
        conditions.reachable = networks.reachable
        conditions.expensive = networks.expensive
        guard conditions != surroundings.report.conditions else { return false }
        surroundings.report.conditions = conditions
        tell(.conditions(surroundings.report))
        return true
    }

    /// Ends a transfer that the conditions forbid, and which does not wait for better ones.
    mutating func fail(_ id: TransferID, _ reason: WaitReason) {
        takeTurn(id) { world in
            world.read(.forbidden(id.number)) { rows throws(ServiceError) in
                try rows.record(id)
            } then: { world, result in
                guard let record = result.value ?? nil, record.isEligible, !world.queue.running.contains(id),
                    !world.surroundings.isEnding
                else { return world.leaveTurn(id) }
                var machine = TransferMachine(record, network: world.key(record).network)
                guard case .finish(let outcome) = machine.forbidden(reason) else {
                    world.tell(.eligible(Input.Eligible(record: record)))
                    return world.leaveTurn(id)
                }
                world.tell(.rested(record))
                world.finish(machine.record, outcome) { world, result in
                    if case .failure(let error) = result { world.enqueueLater(record, error) }
                    if case .success(false) = result { world.soon.append { $0.fail(id, reason) } }
                    world.leaveTurn(id)
                }
            }
        }
    }

    mutating func setFolders(_ answer: Bool) -> Bool {
        guard surroundings.foldersAnswer != answer else { return false }
        surroundings.foldersAnswer = answer
        return true
    }

    // MARK: What is left on disk

    /// Removes what is left of transfers that are canceled, removed or have ended.
    mutating func cleanUp() {
        read(.leftovers) { rows throws(ServiceError) in
            let remains = Set(try rows.remains(of: nil).map(\.id))
            return (try rows.unfinishedCleanups().filter { !remains.contains($0.id) }, try rows.remains(of: nil))
        } then: { world, result in
            guard let (records, remains) = result.value else { return }
            for id in records.filter({ $0.intent == .cancel }).map(\.id) + remains.map(\.id) {
                guard world.turns.take(id) else {
                    world.cleanUpLater()
                    continue
                }
                world.cleanUp(id)
            }
        }
    }

    mutating func cleanUpLater() {
        tell(.plan(Alarm(due: moment.clock + .seconds(300), cause: .cleanUp)))
    }

    private mutating func cleanUp(_ id: TransferID) {
        let end: (inout SimulatedWorld, ServiceError?) -> Void = { world, _ in world.leaveTurn(id) }
        read(.lookup(id.number)) { rows throws(ServiceError) in
            try rows.record(id)
        } then: { world, result in
            guard let record = result.value ?? nil, !world.queue.running.contains(id) else { return end(&world, nil) }
            guard !record.intent.isRemoval else {
                let session = record.request.session
                return world.finishRemovals(of: [id], in: session, sparesSucceeded: false, then: end)
            }
            guard record.intent == .cancel else { return end(&world, nil) }
            world.finishCancel(record, then: end)
        }
    }

    /// Removes what a canceled transfer has on disk, and records its end.
    mutating func finishCancel(
        _ record: TransferRecord, then next: @escaping (inout SimulatedWorld, ServiceError?) -> Void
    ) {
        var machine = TransferMachine(record)
        guard case .finish(let outcome) = machine.runStopped() else { return next(&self, nil) }
        var ended = machine.record
        guard surroundings.foldersAnswer || ended.facts.partial == nil else {
            cleanUpLater()
            return next(&self, ServiceError(.diskIO, "The folder does not answer."))
        }
        ended.facts.partial = nil
        ended.facts.needsTruncation = false
        finish(ended, outcome) { world, result in
            switch result {
            case .success(true): next(&world, nil)
            case .success(false): world.lookAgain(at: record, then: next)
            case .failure(let error):
                world.cleanUpLater()
                next(&world, error)
            }
        }
    }

    /// Ends a canceled transfer that has changed since it was read.
    private mutating func lookAgain(
        at record: TransferRecord, then next: @escaping (inout SimulatedWorld, ServiceError?) -> Void
    ) {
        let id = record.id
        read(.lookup(id.number)) { rows throws(ServiceError) in
            try rows.record(id)
        } then: { world, result in
            guard let record = result.value ?? nil else { return next(&world, nil) }
            world.finishCancel(record, then: next)
        }
    }

    /// Forgets transfers at rest whose removal is in the journal.
    mutating func finishRemovals(
        of ids: [TransferID], in session: SessionID, sparesSucceeded: Bool,
        then next: @escaping (inout SimulatedWorld, ServiceError?) -> Void
    ) {
        guard let first = ids.first else { return next(&self, nil) }
        read(.removal(first.number)) { rows throws(ServiceError) in
            try rows.remains(of: ids)
        } then: { world, result in
            let remains = result.value ?? []
            let arrived = sparesSucceeded ? remains.filter(\.hasSucceeded).map(\.id) : []
            let stuck = world.surroundings.foldersAnswer ? [] : remains.filter { $0.partial != nil }.map(\.id)
            let gone = remains.map(\.id).filter { !arrived.contains($0) && !stuck.contains($0) }
            if !stuck.isEmpty { world.cleanUpLater() }
            let now = world.moment.wall
            world.commit(.removal(first.number)) { rows throws(ServiceError) in
                try rows.keep(arrived)
                return try rows.forget(gone, of: session, at: now)
            } then: { world, result in
                guard case .success(let removed) = result else {
                    world.cleanUpLater()
                    return next(&world, result.error)
                }
                world.forget(gone)
                world.publish(removed)
                next(&world, stuck.isEmpty ? nil : ServiceError(.diskIO, "The folder does not answer."))
            }
        }
    }

    // MARK: WaitingTransfers

    mutating func read(_ reading: Backlog<StoredQueueKey>.Reading) {
        read(.line) { rows throws(ServiceError) in
            try rows.ids(in: reading.source, after: reading.after, through: reading.through, limit: Queue.lineWindow)
        } then: { world, result in
            var ids = result.value ?? []
            if world.mistake == .losesTheEndOfALine { _ = ids.popLast() }
            let busy = world.mistake == .linesUpWhatIsActedUpon ? [] : ids.filter(world.turns.isTaken)
            world.tell(.read(reading, ids, busy: Set(busy)))
        }
    }
}

extension Result {
    var error: Failure? { if case .failure(let error) = self { error } else { nil } }
}
