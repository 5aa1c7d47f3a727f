import FerryCore
import Foundation

@testable import FerryService

/// Settings, what is done to all transfers of a session, and the apps that sessions belong to.
extension SimulatedWorld {
    // MARK: Settings

    mutating func change(active: Int, perHost: Int) -> Bool {
        guard surroundings.isOpen else { return false }
        ledger.called()
        withSettings(of: nil) { world in
            var settings = world.queue.sessions.settings
            settings.activeTransfers = active
            settings.connectionsPerHost = perHost
            let changed = settings
            world.ledger.told(world.mistake == .answersSettingsBeforeTheCommit ? changed : nil as ServiceSettings?)
            world.commit(.settings) { rows throws(ServiceError) in
                try rows.saveSettings(changed)
            } then: { world, result in
                if case .success = result {
                    var told = changed
                    if world.mistake == .startsTooMany { told.activeTransfers += 1 }
                    world.tell(.settings(told, world.surroundings.report))
                    world.ledger.told(changed)
                }
                world.leaveSettings(of: nil)
                world.ledger.answered()
            }
        }
        return true
    }

    mutating func change(_ session: Int, _ limits: Limits) -> Bool {
        guard surroundings.isOpen else { return false }
        let id = Surroundings.sessions[session]
        var settings = SessionSettings(activeTransfers: limits.active, hostConnections: limits.perHost)
        settings.inOrder = limits.inOrder
        if let allowsExpensive = limits.allowsExpensive {
            settings.network = NetworkPolicy(allowsExpensive: allowsExpensive)
        }
        let changed = settings
        ledger.called()
        withSettings(of: id) { world in
            world.ledger.told(id, nil as SessionSettings?)
            world.commit(.session(session)) { rows throws(ServiceError) in
                try rows.saveSession(id, changed)
            } then: { world, result in
                guard case .success = result else {
                    world.leaveSettings(of: id)
                    return world.ledger.answered()
                }
                let effects = world.queue.take(.session(id, changed), at: world.moment)
                world.ledger.told(id, changed)
                world.perform(effects)
                world.readPolicies(effects) { world in
                    world.leaveSettings(of: id)
                    world.ledger.answered()
                }
            }
        }
        return true
    }

    /// Reads which policies requests have themselves, where effects say so.
    private mutating func readPolicies(_ effects: [Effect], then next: @escaping Next) {
        let sessions = effects.compactMap { if case .readPolicies(let session) = $0 { session } else { nil } }
        guard let session = sessions.first, let index = Surroundings.sessions.firstIndex(of: session),
            mistake != .ignoresPoliciesOfSessions
        else { return next(&self) }
        read(.policies(index)) { rows throws(ServiceError) in
            try rows.pending(of: session)
        } then: { world, result in
            let own = Dictionary((result.value ?? []).map { ($0.id, $0.network) }) { $1 }
            world.tell(.policies(own, session))
            next(&world)
        }
    }

    mutating func order(_ session: Int, first number: Int) -> Bool {
        let (id, first) = (Surroundings.sessions[session], TransferID(number))
        guard surroundings.isOpen, journal.record(first)?.request.session == id else { return false }
        ledger.called()
        withSettings(of: id) { world in
            world.tell(.ordering(id))
            world.commit(.order(session)) { rows throws(ServiceError) in
                let all = try rows.transfers(of: id, among: nil).reversed()
                let stored = try rows.saveOrder(TransferIDRuns([first] + all.filter { $0 != first }), of: id)
                return (stored, try rows.pending(stored))
            } then: { world, result in
                let pending = world.queue.waitingTransfers.hasBacklog(of: id) ? result.value?.1 ?? [] : []
                let busy = Set(pending.map(\.id).filter(world.turns.isTaken))
                world.tell(.ordered(pending, id, busy: busy))
                if let (stored, _) = result.value { world.tell(.order(id, stored)) }
                world.leaveSettings(of: id)
                world.ledger.answered()
            }
        }
        return true
    }

    private mutating func withSettings(of session: SessionID?, _ next: @escaping Next) {
        if surroundings.takeSetting(session, next) { next(&self) }
    }

    private mutating func leaveSettings(of session: SessionID?) {
        if let next = surroundings.leaveSetting(session) { soon.append(next) }
    }

    // MARK: All transfers of a session

    mutating func actOnAll(_ action: SessionAction, _ session: Int) -> Bool {
        guard surroundings.isOpen, !surroundings.isActing(in: Surroundings.sessions[session]) else { return false }
        act(action, Surroundings.sessions[session]) { _ in }
        return true
    }

    private mutating func act(_ action: SessionAction, _ id: SessionID, then next: @escaping Next) {
        let concerned = (try? journal.rows.transfers(of: id, among: nil)) ?? []
        ledger.called(concerned)
        withAction(in: id) { world in
            let index = Surroundings.sessions.firstIndex(of: id) ?? 0
            world.read(.many(index)) { rows throws(ServiceError) in
                try rows.transfers(of: id, among: nil)
            } then: { world, result in
                let own = result.value ?? []
                // Some may have come since the call.
                let later = own.filter { !concerned.contains($0) }
                world.ledger.concern(later)
                let turns = world.mistake == .actsOnManyWithoutTurns ? [] : own
                world.takeTurns(turns) { world in
                    world.perform(action, on: own, of: id, index) { world, what in
                        for id in turns { world.leaveTurn(id) }
                        if let next = world.surroundings.leaveAction(id) { world.soon.append(next) }
                        world.ledger.answered(concerned + later) { own.contains($0) ? what : nil }
                        world.consider(id)
                        next(&world)
                    }
                }
            }
        }
    }

    private mutating func withAction(in session: SessionID, _ next: @escaping Next) {
        if surroundings.takeAction(session, next) { next(&self) }
    }

    private mutating func perform(
        _ action: SessionAction, on ids: [TransferID], of session: SessionID, _ index: Int,
        then next: @escaping (inout SimulatedWorld, Ledger.Known?) -> Void
    ) {
        switch action {
        case .pause: pause(ids, of: session, index, then: next)
        case .start: start(ids, of: session, index, then: next)
        case .cancel: remove(ids, of: session, index, .remove, sparesSucceeded: true, then: next)
        case .remove: remove(ids, of: session, index, .remove, then: next)
        case .removeWithFile: remove(ids, of: session, index, .removeWithFile, then: next)
        }
    }

    private mutating func pause(
        _ ids: [TransferID], of session: SessionID, _ index: Int,
        then next: @escaping (inout SimulatedWorld, Ledger.Known?) -> Void
    ) {
        let moment = moment.active
        commit(.many(index)) { rows throws(ServiceError) in
            try rows.suspend(ids, of: session, at: moment)
        } then: { world, result in
            guard case .success(let suspended) = result else { return next(&world, nil) }
            if world.mistake != .pausesManyInTheirLines {
                world.tell(.restedAll(suspended.ids, session))
            } else {
                world.tell(.stop(suspended.ids))
            }
            world.publish(suspended)
            world.stopBriefly(suspended.ids) { world, _ in next(&world, nil) }
        }
    }

    private mutating func start(
        _ ids: [TransferID], of session: SessionID, _ index: Int,
        then next: @escaping (inout SimulatedWorld, Ledger.Known?) -> Void
    ) {
        let old = ids.filter { id in
            guard queue.running.contains(id), let record = journal.record(id) else { return false }
            return record.outcome != nil || record.intent != .run
        }
        wait(for: mistake == .startsBesideOldRuns ? [] : old) { world, hasEnded in
            let stopping = hasEnded ? [] : old.filter(world.queue.running.contains)
            let ids = ids.filter { !stopping.contains($0) }
            var circumstances = BulkCommandSituation(world.moment.active)
            circumstances.delayed = Set(world.queue.waitingTransfers.delayed(of: session, among: Set(ids)))
            circumstances.running = Set(ids.filter(world.queue.running.contains))
            let asked = circumstances
            world.commit(.many(index)) { rows throws(ServiceError) in
                let begun = try rows.begin(ids, of: session, asked)
                return (begun, try rows.pending(begun.events.ids))
            } then: { world, result in
                guard case .success(let (begun, pending)) = result else { return next(&world, nil) }
                for id in asked.delayed { world.ledger.release(told: id) }
                world.tell(
                    .restarted(
                        Input.Restart(
                            ids: begun.events.ids, session: session, released: asked.delayed, pending: pending)))
                world.publish(begun.events)
                next(&world, nil)
            }
        }
    }

    private mutating func remove(
        _ ids: [TransferID], of session: SessionID, _ index: Int, _ intent: TransferIntent,
        sparesSucceeded: Bool = false, then next: @escaping (inout SimulatedWorld, Ledger.Known?) -> Void
    ) {
        let waiting = queue.take(.takeOut(Set(ids), session), at: moment)
        let live = mistake == .removesWhatIsWriting ? [] : Set(ids.filter(queue.running.contains))
        let now = moment.wall
        commit(.many(index)) { rows throws(ServiceError) in
            try rows.remove(ids, of: session, intent: intent, sparesSucceeded: sparesSucceeded, live: live, at: now)
        } then: { world, result in
            guard case .success(let (removed, begun)) = result else {
                if world.mistake != .losesWhatCannotBeRemoved { world.restore(waiting) }
                return next(&world, nil)
            }
            world.forget(removed.ids)
            world.tell(.restedAll(begun, session))
            world.publish(removed)
            world.stopBriefly(begun) { world, left in
                world.finishRemovals(
                    of: begun.filter { !left.contains($0) }, in: session, sparesSucceeded: sparesSucceeded
                ) { world, _ in next(&world, sparesSucceeded ? nil : .gone) }
            }
        }
    }

    private mutating func restore(_ effects: [Effect]) {
        for case .takenOut(let taken) in effects {
            let effects = queue.take(.restore(taken), at: moment)
            perform(effects)
            readPolicies(effects) { _ in }
        }
    }

    mutating func publish(_ run: EventRun) {
        hub.publish(run)
        if mistake == .tellsTwice, !run.ids.isEmpty { hub.tell([.run(run)]) }
    }

    /// Forgets what is kept in memory of transfers that are gone.
    mutating func forget(_ ids: [TransferID]) {
        for id in ids {
            gatherings.ahead.forget(id)
            attempts.forget(id)
            ledger.release(told: id)
        }
        tell(.gone(ids))
    }

    // MARK: Apps

    mutating func attach(_ session: Int) -> Bool {
        let id = Surroundings.sessions[session]
        guard surroundings.isOpen, !hub.isAttached(id) else { return false }
        guard session > 0 else {
            hub.attach(id, token: nil, isBrief: false)
            return true
        }
        let parts = Surroundings.names[session].split { $0 == "/" || $0 == ":" }.map(String.init)
        let attachment = SessionAttachment(
            application: parts[0], identifier: parts[1], process: Int32(session), isBackgroundLaunched: false,
            sendsLaunchEvents: true, connectionsPerHost: nil, isManager: session == 2)
        let token = queue.open(id, attachment, by: ProcessMark(process: Int32(session), started: 1, boot: ""))
        _ = queue.takeEvents(of: id, attachment, at: moment.wall)
        tell(.app(.foreground(parts[0], saving: id)))
        hub.attach(id, token: token, isBrief: session == 2)
        if mistake == .listensFromNow { hub.skip(id) }
        require(queue.follows(id, token, listener: token), "\(id) is opened, and another process has it")
        tell(.attached(attachment, id))
        return true
    }

    mutating func leave(_ session: Int) -> Bool {
        let id = Surroundings.sessions[session]
        guard hub.isAttached(id) else { return false }
        let token = hub.token(of: id)
        hub.detach(id)
        if let token { tell(.app(.closed(id, token))) }
        return true
    }

    /// The user quits a session: what is a manager's is paused, and all else is canceled.
    mutating func quit(_ session: Int) -> Bool {
        let id = Surroundings.sessions[session]
        guard surroundings.isOpen, queue.apps.contains(id), !surroundings.isActing(in: id) else { return false }
        tell(.app(.quit(id)))
        saveRegistration(of: id)
        _ = leave(session)
        act(queue.apps.registration(of: id)?.isManager == true ? .pause : .cancel, id) { world in
            world.tell(.app(.quit(id)))
            world.saveRegistration(of: id)
        }
        return true
    }

    mutating func saveRegistration(of id: SessionID) {
        guard let registration = queue.apps.registration(of: id),
            let index = Surroundings.sessions.firstIndex(of: id)
        else { return }
        commit(.registration(index)) { rows throws(ServiceError) in
            try rows.saveRegistration(registration, of: id)
        } then: { _, _ in
        }
    }

    /// Asks the journal whether a session's app is to be told of its events.
    mutating func consider(_ id: SessionID) {
        guard let index = Surroundings.sessions.firstIndex(of: id), !surroundings.isEnding,
            queue.apps.mayCall(for: id, isAlive: { _ in false })
        else { return }
        let asking = queue.waitingTransfers.asking[id, default: 0]
        read(.news(index)) { rows throws(ServiceError) in
            AppRegistry.Work(
                hasResults: try rows.hasEnded(id, after: nil), isWorking: try rows.hasPending(id, besides: asking),
                isAsking: asking > 0)
        } then: { world, result in
            guard let work = result.value else { return }
            let isOpen = world.queue.apps.holder(of: id) != nil
            let isQuit = world.queue.apps.registration(of: id)?.isQuit == true
            let effects = world.queue.take(.app(.considered(id, work, firstDelay: 10)), at: world.moment)
            let isCalled = effects.contains {
                switch $0 {
                case .launch, .notifyApp: true
                default: false
                }
            }
            world.require(!isCalled || !isOpen && !isQuit, "the app of \(id) is called, and is there or quit")
            world.perform(effects)
        }
    }

    mutating func listen(_ session: Int) -> Bool {
        let id = Surroundings.sessions[session]
        guard hub.hasMore(id), !hub.isReading(for: id) else { return false }
        guard let range = hub.next(for: id, ledger) else { return true }
        let isBrief = session == 2
        read(.page(session)) { rows throws(ServiceError) in
            isBrief
                ? try rows.briefPage(after: range.after, through: range.through, session: id)
                : try rows.page(after: range.after, through: range.through, session: id, ids: nil)
        } then: { world, result in
            if let page = result.value { world.hub.fill(id, range, with: page) }
        }
        return true
    }

    mutating func acknowledge(_ session: Int) -> Bool {
        let (id, seen) = (Surroundings.sessions[session], hub.seen(by: Surroundings.sessions[session]))
        guard seen > 0, hub.isAttached(id), journal.rows.log.last(of: id) > 0 else { return false }
        let through = mistake == .letsGoOfTooManyEvents ? seen + 1 : seen
        commit(.page(session)) { rows throws(ServiceError) in
            try rows.acknowledge(id, through: through)
        } then: { _, _ in
        }
        return true
    }
}
