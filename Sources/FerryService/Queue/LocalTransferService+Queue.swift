import FerryCore
import FerryEngine
import Foundation
import Logging

/// Telling the queue what happens, and performing what follows.
extension LocalTransferService {
    /// Transfers that have no slot.
    var waitingTransfers: WaitingTransfers { queue.waitingTransfers }

    /// Transfers that have a slot.
    var running: Running { queue.running }

    /// Tells the queue what has happened, and begins what follows.
    func take(_ input: Input) { perform(queue.take(input, at: .now)) }

    /// Gives every free slot away; called after everything that may have freed one or made a transfer eligible.
    func schedule() {
        refreshNames()
        take(.schedule)
    }

    /// What may run beside the transfers that have a slot.
    func currentLimits() -> SlotLimits {
        refreshNames()
        return queue.limits
    }

    /// A look-up of a name that is given up says so to its transfer's counters alone.
    private func refreshNames() {
        for id in running.waitingForNames where attempts[id]?.waitsForName == false {
            take(.nameGivenUp(id))
        }
    }

    // MARK: Effects

    /// Begins what follows from a decision; what takes time is done in its order, after that.
    func perform(_ effects: [Effect]) {
        let later = effects.filter { !begin($0) && !beginStop($0) }
        arm()
        guard !later.isEmpty else { return }
        Task(name: "effects of the queue") { for effect in later { await self.complete(effect) } }
    }

    /// Performs what follows from a decision, and waits for what takes time.
    func performInOrder(_ effects: [Effect]) async {
        arm()
        for effect in effects where !begin(effect) { await complete(effect) }
    }

    /// Begins to stop the run that a transfer has now: one that hangs holds up no other, and a later one is not meant.
    private func beginStop(_ effect: Effect) -> Bool {
        guard case .stop(let id, let error) = effect else { return false }
        if let run = attempts[id]?.run { Task(name: "stop of transfer \(id)") { await run.stop(with: error) } }
        return true
    }

    /// Performs an effect; false if it takes time.
    private func begin(_ effect: Effect) -> Bool {
        switch effect {
        case .start(let id, let key): start(id, key)
        case .fail(let id, let reason): Task(name: "end of transfer \(id)") { await self.fail(id, reason) }
        case .endOverdue(let ids): expire(ids)
        case .readDue(let start, let end):
            Task(name: "whose time is over soon") { await self.readDue(from: start, through: end) }
        case .deferSchedule:
            Task(name: "free slots") {
                self.refreshNames()
                self.take(.deferredSchedule)
            }
        case .readOn(let reading): Task(name: "more of a line") { await self.read(reading) }
        case .rest: planUpkeep()
        case .work(let cause): work(cause)
        case .watch(let needs):
            watch.source.watch(needs) { [weak self] in
                Task(name: "changed conditions") { await self?.takeConditions() }
            }
        case .pollPower(.never): watch.source.pollPower(every: nil)
        case .pollPower(.every(let seconds)): watch.source.pollPower(every: seconds)
        case .renewConnections: engine.networkChanged()
        case .conditionsChanged(let conditions):
            logger.info("conditions", metadata: ["conditions": "\(conditions)"])
            watch.notifyListeners()
        case .limits(let settings):
            runtime.follow(settings)
            engine.budget.setLimits(perHost: settings.connectionsPerHost, total: settings.connectionsTotal)
        case .sessionLimits(let id, let settings): runtime.follow(settings, of: id)
        // The caller performs these, and is told if that fails.
        case .readPolicies, .takenOut, .expire, .launch, .saveForeground: break
        case .notifyApp(let token, let session): runtime.signal(token, .handleEvents(session: session))
        case .notifyReasons(let ids): notifyWaiting(ids)
        case .cleanUp: cleanUp()
        case .follow, .stop, .notifyWaiting, .consider, .launchGivenUp, .detached, .endSignals: return false
        }
        return true
    }

    /// Performs an effect that takes time.
    private func complete(_ effect: Effect) async {
        switch effect {
        case .follow(let id, let request):
            guard let attempt = attempts[id] else { return }
            attempt.limiter.rate = request.rateLimit
            attempt.gate.setPriority(request.priority)
            await attempt.run?.follow(request)
        case .stop(let id, let error): await attempts[id]?.run?.stop(with: error)
        case .notifyWaiting(let record): await publishLive(.waiting, record)
        case .consider(let session): await consider(session)
        case .launchGivenUp(let session):
            logger.warning("gave up launching an app", metadata: ["session": "\(session)"])
            await attempt { () async throws(ServiceError) in try await saveRegistration(session) }
        case .detached(let session): await detached(session)
        case .endSignals(let listener): await hub.end(listener)
        default: break
        }
    }

    // MARK: Alarms

    func setAlarm(_ alarm: Alarm) { take(.plan(alarm)) }

    /// Sees to it that the next alarm is heard.
    func arm() {
        guard !isShuttingDown else { return }
        clock.set(waitingTransfers.nextAlarm) { [weak self] in await self?.ring() }
    }

    private func ring() {
        clock.rang()
        refreshNames()
        take(.alarm)
    }

    private func work(_ cause: Alarm.Cause) {
        switch cause {
        case .sweep: sweepAgain()
        case .cleanUp: cleanUp()
        case .trialEnds: life.succeeded()
        case .settling: Task(name: "apps after a start") { await self.endSettling() }
        case .upkeep: tidyUp()
        case .due, .schedule, .launch, .retry, .release: break
        }
    }

    // MARK: WaitingTransfers

    /// Puts a transfer in line after its delay, and not before the moment at which it may begin.
    ///
    /// - Parameter error: what it waits for, where the journal does not say so.
    func enqueue(
        _ record: TransferRecord, after delay: Double = 0, reason: WaitReason = .retry, error: ServiceError? = nil
    ) {
        take(.eligible(Input.Eligible(record: record, delay: delay, reason: reason, error: error)))
    }

    /// Puts transfers that are in no line in theirs, as the journal knows them, with the alarms that bound them.
    func enqueue(_ transfers: [PendingTransfer]) { take(.pending(transfers)) }

    /// Lets transfers of a session begin no attempt while the journal changes them.
    ///
    /// - Parameter comesBack: whether the transfers go back to their places after a success too, not after a failure alone.
    func withoutStarts<Value: Sendable>(
        of ids: [TransferID], in session: SessionID, comesBack: Bool,
        _ body: () async throws(ServiceError) -> Value
    ) async throws(ServiceError) -> Value {
        let effects = queue.take(.takeOut(Set(ids), session), at: .now)
        do throws(ServiceError) {
            let value = try await body()
            if comesBack { await comeBack(effects) }
            return value
        } catch {
            await comeBack(effects)
            throw error
        }
    }

    /// Puts what was taken out back where it stood.
    private func comeBack(_ effects: [Effect]) async {
        for case .takenOut(let taken) in effects {
            let effects = queue.take(.comeBack(taken), at: .now)
            perform(effects)
            for case .readPolicies(let session) in effects {
                await attempt { () async throws(ServiceError) in try await followNetwork(of: session) }
            }
        }
    }

    private func read(_ reading: Backlog<StoredQueueKey>.Reading) async {
        do throws(ServiceError) {
            let ids = try await journal.read { reader throws(ServiceError) in
                try reader.ids(
                    in: reading.source, after: reading.after, through: reading.through, limit: Queue.lineWindow)
            }
            // What is being acted upon is scheduled once its turn ends.
            take(.read(reading, ids, busy: busy(of: ids)))
        } catch {
            take(.readingFailed)
            noteFailure(error)
        }
    }

    /// Puts the given transfers of a session, which have a place in its order, in line.
    func takeOrdered(_ ids: [TransferID], of session: SessionID) async throws(ServiceError) {
        guard waitingTransfers.hasBacklog(of: session) else { return }
        take(.ordering(session))
        var pending: [PendingTransfer] = []
        defer { take(.ordered(pending, session, busy: busy(of: pending.map(\.id)))) }
        pending = try await journal.read { reader throws(ServiceError) in try reader.pending(ids) }
    }

    /// The transfers that are being acted upon.
    private func busy(of ids: [TransferID]) -> Set<TransferID> { Set(ids.filter(locks.transfers.isTaken)) }

    // MARK: Questions

    func key(_ record: TransferRecord) -> QueueKey { queue.sessions.key(record) }

    /// The network policy that applies to a request: its session's, where that has one.
    func network(of request: TransferRequest) -> NetworkPolicy {
        queue.sessions.network(request.network, in: request.session)
    }

    /// The reason of its own for which a transfer that is not running waits; nil if it waits for what its whole line waits for.
    func ownReason(_ record: TransferRecord) -> WaitReason? {
        if isShuttingDown { return .shutdown }
        // A record that was read before its last try ended knows no plan: it is shown as it was then.
        guard let waiting = waitingTransfers.delay(of: record.id) else { return nil }
        let isKnown = record.retry != nil || waiting.error != nil
        return isKnown || waiting.reason == .beginDate || waiting.reason == .relaunch ? waiting.reason : nil
    }

    /// What keeps the transfers in a transfer's line from a slot.
    func obstacle(to record: TransferRecord) -> WaitReason {
        let key = key(record)
        return queue.conditions.obstacle(key) ?? currentLimits().obstacle(key) ?? .slot
    }

    /// When an origin that is held may be asked again, by the wall clock.
    func holdEnd(_ origin: String) -> Date? {
        waitingTransfers.holdEnd(origin).map { Date(timeIntervalSinceNow: ($0 - .now) / .seconds(1)) }
    }
}
