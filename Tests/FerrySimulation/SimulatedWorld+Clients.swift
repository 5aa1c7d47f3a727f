import FerryCore
import Foundation

@testable import FerryService

/// Clients' commands for transfers.
extension SimulatedWorld {
    // MARK: Submission

    mutating func submit(_ number: Int, _ count: Int, _ wanted: Wanted) -> Bool {
        let last = TransferID(number + count - 1)
        guard count > 0, surroundings.isOpen, TransferID(number) > ledger.lastAsked else { return false }
        ledger.lastAsked = last
        let records = (number..<number + count).map { record($0, wanted) }
        let (ids, session, now) = (records.map(\.id), Surroundings.sessions[wanted.session], moment.wall)
        ledger.called(ids)
        if mistake == .answersBeforeTheCommit { for id in ids { ledger.told(id, .submitted) } }
        let isMany = count > 1
        commit(.submission(number)) { rows throws(ServiceError) in
            for record in records { try rows.insert(record) }
            return (
                try rows.appendEvents(kind: .submitted, at: now, ids: ids, session: session), try rows.pending(ids)
            )
        } then: { world, result in
            guard case .success(let (events, pending)) = result else {
                let isTold = world.mistake == .takesAFullDiskForSuccess
                return world.ledger.answered(ids) { _ in isTold ? .submitted : nil }
            }
            world.publish(events)
            let line = StoredQueueKey(records[0], origin: Self.origin(of: wanted))
            if isMany, let line {
                world.leave(ids, to: line)
            } else {
                world.enqueue(pending)
            }
            world.ledger.answered(ids) { _ in .submitted }
        }
        return true
    }

    /// Leaves transfers to the journal, as those of a long list.
    private mutating func leave(_ ids: [TransferID], to line: StoredQueueKey) {
        guard let first = ids.first, journal.record(first)?.isEligible == true else { return }
        tell(.listed(Input.List(lines: [line], ids: ids, due: journal.record(first)?.due)))
    }

    mutating func enqueue(_ pending: [PendingTransfer]) {
        tell(.pending(pending.map { mistake?.altering($0) ?? $0 }))
    }

    static func origin(of wanted: Wanted) -> String { "https://\(Surroundings.hosts[wanted.host]).test:443" }

    private func record(_ number: Int, _ wanted: Wanted) -> TransferRecord {
        var request = TransferRequest(
            url: "https://\(Surroundings.hosts[wanted.host]).test/\(number)", folder: "/f")
        request.session = Surroundings.sessions[wanted.session]
        request.priority = wanted.isUrgent ? .high : .normal
        request.network.waits = wanted.waitsForNetworks
        request.network.allowsExpensive = wanted.allowsExpensive
        request.paused = wanted.isPaused
        request.notBefore = wanted.begins.map(moment.wall.addingTimeInterval)
        request.resourceTimeout = wanted.timeout
        request.deadline = wanted.deadline.map(moment.wall.addingTimeInterval)
        var record = TransferRecord(
            id: TransferID(number), createdAt: moment.wall, request: request, credentials: nil)
        if !wanted.isPaused { record.active.begin(at: moment.active) }
        if queue.apps.isInBackground(request.session) { record.facts.startsAfterRelaunch = true }
        return record
    }

    // MARK: Actions

    typealias Answer = (inout SimulatedWorld, ActionResult) -> Void

    mutating func act(_ action: TransferAction, _ number: Int) -> Bool {
        let id = TransferID(number)
        guard surroundings.isOpen, journal.record(id) != nil else { return false }
        ledger.called([id])
        act(action, on: id) { world, result in
            world.ledger.answered([id]) { _ in Self.known(action, result) }
        }
        return true
    }

    /// Returns a client's knowledge after an action.
    private static func known(_ action: TransferAction, _ result: ActionResult) -> Ledger.Known? {
        guard result.error == nil else { return nil }
        switch action {
        case .pause: return result.state == .suspended ? .rests : nil
        case .resume, .retry: return result.state == .waiting || result.state == .running ? .runs : nil
        case .cancel: return .ends
        case .remove, .removeWithFile: return .gone
        }
    }

    private mutating func act(_ action: TransferAction, on id: TransferID, _ answer: @escaping Answer) {
        takeTurn(id) { world in
            world.decide(action, on: id) { world, result in
                world.leaveTurn(id)
                answer(&world, result)
            }
        }
    }

    private mutating func existing(
        _ id: TransferID, _ answer: @escaping Answer,
        then next: @escaping (inout SimulatedWorld, TransferRecord) -> Void
    ) {
        read(.lookup(id.number)) { rows throws(ServiceError) in
            try rows.record(id)
        } then: { world, result in
            guard let record = result.value ?? nil else {
                return answer(&world, ActionResult(id: id, error: ServiceError(.unknownTransfer, "It is gone.")))
            }
            next(&world, record)
        }
    }

    private mutating func decide(_ action: TransferAction, on id: TransferID, _ answer: @escaping Answer) {
        existing(id, answer) { world, record in
            let isDecided = record.intent != .run || record.outcome != nil
            guard isDecided, !record.intent.isRemoval, let disposition = world.queue.running.disposition(of: id) else {
                return world.perform(action, on: record, answer)
            }
            let isLeft = action.isStop && disposition == .isAbandoned && record.outcome == nil
            let decided: Attempts.Waiter = { world, hasEnded in
                world.existing(id, answer) { world, record in
                    if !hasEnded, record.outcome == nil, action == .pause {
                        return answer(&world, ActionResult(id: id, state: world.state(record)))
                    }
                    guard hasEnded || action.isEnd else {
                        let error = ServiceError(.diskIO, "It is still stopping.")
                        return answer(&world, ActionResult(id: id, error: error))
                    }
                    world.perform(action, on: record, answer)
                }
            }
            if isLeft { decided(&world, false) } else { world.wait(for: [id], decided) }
        }
    }

    /// Waits for the ends of attempts.
    mutating func wait(for ids: [TransferID], isPatient: Bool = false, _ next: @escaping Attempts.Waiter) {
        let live = ids.filter { attempts[$0] != nil }
        if live.isEmpty { next(&self, true) } else { attempts.wait(for: live, isPatient: isPatient, next) }
    }

    private mutating func perform(_ action: TransferAction, on record: TransferRecord, _ answer: @escaping Answer) {
        switch action {
        case .pause: pause(record, answer)
        case .resume: begin(.resume, record, answer)
        case .retry: begin(.start, record, answer)
        case .cancel: cancel(record, answer)
        case .remove: remove(record, .remove, answer)
        case .removeWithFile: remove(record, .removeWithFile, answer)
        }
    }

    private mutating func store(
        _ command: TransferCommand, for record: TransferRecord, isChecked: Bool = true,
        then next: @escaping (inout SimulatedWorld, Result<CommandOutcome, ServiceError>) -> Void
    ) {
        let id = record.id
        let moment = CommandSituation(
            now: moment.active, isDelayed: queue.waitingTransfers.delay(of: id) != nil,
            isRunning: queue.running.contains(id))
        let revision = isChecked && mistake != .decidesOnOldRows ? record.revision : nil
        let takesAll = mistake == .takesRemovalsBack
        commit(.command(id.number)) { rows throws(ServiceError) in
            if takesAll, command == .cancel || command == .pause, var row = try rows.record(id), row.intent.isRemoval {
                row.intent = command == .pause ? .suspend : .cancel
                _ = try rows.update(row)
            }
            return try rows.command(command, for: id, from: revision, at: moment)
        } then: {
            next(&$0, $1)
        }
    }

    /// Takes up what a wish has come to: an answer, or another look at a transfer that has changed.
    private mutating func follow(
        _ fate: Result<CommandOutcome, ServiceError>, _ id: TransferID, _ action: TransferAction,
        _ answer: @escaping Answer,
        done: (inout SimulatedWorld, TransferEvent?, TransferRecord) -> Void
    ) {
        switch fate {
        case .failure(let error), .success(.refused(let error)): answer(&self, ActionResult(id: id, error: error))
        case .success(.none(let stored)): answer(&self, ActionResult(id: id, state: state(stored)))
        case .success(.unknown):
            answer(&self, ActionResult(id: id, error: ServiceError(.unknownTransfer, "It is gone.")))
        case .success(.stale):
            wait(for: [id], isPatient: true) { world, _ in
                world.existing(id, answer) { $0.perform(action, on: $1, answer) }
            }
        case .success(.done(let event, let stored)): done(&self, event, stored)
        }
    }

    private func state(_ record: TransferRecord) -> TransferState {
        if record.intent.endsTransfer { return record.outcome?.state ?? .canceled }
        return record.outcome?.state ?? (record.intent == .suspend ? .suspended : .waiting)
    }

    private mutating func pause(_ record: TransferRecord, _ answer: @escaping Answer) {
        let id = record.id
        store(.pause, for: record) { world, fate in
            world.follow(fate, id, .pause, answer) { world, event, stored in
                switch world.mistake {
                case .startsWhatIsPaused: world.tell(.stop([id]))
                case .forgetsAStop where world.queue.running.contains(id): world.stopRun(id)
                default: world.tell(.rested(stored))
                }
                let isTold = world.mistake != .tellsAPauseOnceItHasStopped
                if isTold, let event, world.mistake != .keepsPausesToItself { world.publish(event) }
                world.stopBriefly([id]) { world, _ in
                    if !isTold, let event { world.publish(event) }
                    world.existing(id, answer) { world, after in
                        answer(&world, ActionResult(id: id, state: world.state(after)))
                    }
                }
            }
        }
    }

    /// Stops runs, and waits for them a while.
    ///
    /// - Parameter next: gets those whose runs have not ended.
    mutating func stopBriefly(
        _ ids: [TransferID], then next: @escaping (inout SimulatedWorld, [TransferID]) -> Void
    ) {
        let stopping = ids.filter(queue.running.contains)
        guard !stopping.isEmpty else { return next(&self, []) }
        if mistake == .forgetsAStop { for id in stopping { stopRun(id) } } else { tell(.stop(stopping)) }
        wait(for: stopping) { world, hasEnded in
            if world.mistake == .waitsForNoStop { return next(&world, []) }
            let left = hasEnded ? [] : stopping.filter(world.queue.running.contains)
            world.tell(.left(left))
            next(&world, left)
        }
    }

    private mutating func begin(_ command: TransferCommand, _ record: TransferRecord, _ answer: @escaping Answer) {
        let id = record.id
        if mistake != .keepsHoldsOfTheResumed { tell(.urged(record)) }
        ledger.release(told: id)
        ledger.release(key(record).origin)
        store(command, for: record) { world, fate in
            world.follow(fate, id, command == .resume ? .resume : .retry, answer) { world, event, stored in
                if world.mistake == .resumesAfterTheDelay, world.queue.waitingTransfers.delay(of: id) != nil {
                } else if world.mistake == .forgetsDeadlinesOfTheResumed {
                    world.tell(.eligible(Input.Eligible(record: stored)))
                } else {
                    world.tell(.resumed(stored))
                }
                let reason = world.queue.waitingTransfers.delay(of: id)?.reason
                world.require(
                    reason == nil || reason == .beginDate || reason == .relaunch,
                    "\(id) is resumed, and waits for a moment")
                if let event { world.publish(event) }
                answer(&world, ActionResult(id: id, state: .waiting))
            }
        }
    }

    private mutating func cancel(_ record: TransferRecord, _ answer: @escaping Answer) {
        let id = record.id
        store(.cancel, for: record, isChecked: false) { world, fate in
            world.follow(fate, id, .cancel, answer) { world, _, _ in
                world.tell(.rested(record))
                world.stopBriefly([id]) { world, _ in
                    world.existing(id, answer) { world, after in
                        if world.queue.running.contains(id), after.outcome == nil {
                            return answer(&world, ActionResult(id: id, state: world.state(after)))
                        }
                        world.finishCancel(after) { world, error in
                            answer(&world, ActionResult(id: id, state: error == nil ? .canceled : nil, error: error))
                        }
                    }
                }
            }
        }
    }

    private mutating func remove(_ record: TransferRecord, _ intent: TransferIntent, _ answer: @escaping Answer) {
        let (id, session, now) = (record.id, record.request.session, moment.wall)
        commit(.command(id.number)) { rows throws(ServiceError) in
            _ = try rows.remove([id], of: session, intent: intent, sparesSucceeded: false, live: [id], at: now)
        } then: { world, result in
            if case .failure(let error) = result { return answer(&world, ActionResult(id: id, error: error)) }
            world.tell(.rested(record))
            world.stopBriefly([id]) { world, _ in
                world.existing(id, answer) { world, after in
                    guard !world.queue.running.contains(id) else {
                        return answer(&world, ActionResult(id: id, state: world.state(after)))
                    }
                    let forget: (inout SimulatedWorld) -> Void = { world in
                        world.finishRemovals(of: [id], in: session, sparesSucceeded: false) { world, error in
                            answer(&world, ActionResult(id: id, error: error))
                        }
                    }
                    var machine = TransferMachine(after)
                    guard case .finish(let outcome) = machine.runStopped() else { return forget(&world) }
                    world.finish(machine.record, outcome) { world, result in
                        switch result {
                        case .success(true): forget(&world)
                        case .success(false): world.remove(record, intent, answer)
                        case .failure(let error):
                            world.cleanUpLater()
                            answer(&world, ActionResult(id: id, error: error))
                        }
                    }
                }
            }
        }
    }

    // MARK: Changes

    mutating func change(_ number: Int, _ change: Change) -> Bool {
        let id = TransferID(number)
        guard surroundings.isOpen, let row = journal.record(id), row.outcome == nil else { return false }
        ledger.called()
        takeTurn(id) { world in
            let answer: Answer = { world, _ in
                world.leaveTurn(id)
                world.ledger.answered()
            }
            world.existing(id, answer) { world, old in
                let changed = world.applying(change, to: old)
                guard changed.request != old.request else { return answer(&world, ActionResult(id: id)) }
                world.ledger.told(id, address: nil)
                world.tell(.changing(id))
                world.commit(.change(number)) { rows throws(ServiceError) in
                    try rows.put(changed, replacing: old)
                } then: { world, result in
                    if result.value == true {
                        if changed.request.url != old.request.url {
                            world.ledger.told(id, address: changed.request.url)
                        }
                        world.follow(changed, replacing: old)
                    } else {
                        world.tell(.unchanged(id))
                    }
                    answer(&world, ActionResult(id: id))
                }
            }
        }
        return true
    }

    private func applying(_ change: Change, to old: TransferRecord) -> TransferRecord {
        var record = old
        switch change {
        case .priority(let isUrgent): record.request.priority = isUrgent ? .high : .normal
        case .address: record.request.url += "x"
        case .begins(let seconds): record.request.notBefore = seconds.map(moment.wall.addingTimeInterval)
        case .network(let allowsExpensive): record.request.network.allowsExpensive = allowsExpensive
        }
        return record
    }

    /// Adapts a running or waiting transfer to its changed request in the journal.
    private mutating func follow(_ changed: TransferRecord, replacing old: TransferRecord) {
        let id = changed.id
        switch mistake {
        case .forgetsChangesOfWhatRuns where queue.running.contains(id): break
        case .leavesTheOldLine where changed.isEligible: tell(.eligible(Input.Eligible(record: changed)))
        default: tell(.changed(changed, replacing: old))
        }
    }
}
