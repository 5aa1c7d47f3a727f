import FerryCore
import FerryEngine
import FerryQueue
import FerryRules
import Foundation
import Logging

/// Passing events to the queue, and performing its effects.
extension LocalTransferService {
    /// Transfers without a slot.
    var waitingTransfers: WaitingTransfers { queue.waitingTransfers }

    /// Transfers with a slot.
    var running: Running { queue.running }

    /// Passes an event to the queue and starts the resulting effects.
    func take(_ input: Input) { perform(queue.take(input, at: moment)) }

    /// Fills all free slots. Call it after anything that may free one or make a transfer eligible.
    func schedule() {
        refreshNames()
        take(.schedule)
    }

    /// Returns the capacity left by the running transfers.
    func currentLimits() -> SlotLimits {
        refreshNames()
        return queue.limits
    }

    /// Updates the queue for abandoned name lookups, which only the attempts' counters show.
    private func refreshNames() {
        for id in running.waitingForNames where attempts[id]?.waitsForName == false {
            take(.nameGivenUp(id))
        }
    }

    // MARK: Effects

    /// Starts the effects of a decision. Effects that take time are performed afterwards, in order.
    func perform(_ effects: [Effect]) {
        let later = effects.filter { !begin($0) && !beginStop($0) }
        arm()
        guard !later.isEmpty else { return }
        Task(name: "effects of the queue") { await self.performInOrder(later) }
    }

    /// Performs the effects of a decision, waiting for the ones that take time.
    func performInOrder(_ effects: [Effect]) async {
        arm()
        for effect in effects where !begin(effect) {
            await attempt { () async throws(ServiceError) in try await complete(effect) }
        }
    }

    /// Performs the effects of a decision that a caller waits for.
    ///
    /// - Throws: The first ``ServiceError`` of an effect. The others are performed all the same.
    func performOrThrow(_ effects: [Effect]) async throws(ServiceError) {
        arm()
        var failure: ServiceError?
        for effect in effects where !begin(effect) {
            do throws(ServiceError) { try await complete(effect) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    /// Begins to stop a transfer's current run. A hanging run does not delay others, and a later run is not affected.
    private func beginStop(_ effect: Effect) -> Bool {
        guard case .stop(let id, let error) = effect else { return false }
        if let run = attempts[id]?.run { Task(name: "stop of transfer \(id)") { await run.stop(with: error) } }
        return true
    }

    /// Performs an effect. Returns false if it takes time.
    private func begin(_ effect: Effect) -> Bool {
        switch effect {
        case .start(let id, let key): start(id, key)
        case .readOverdue(let ids): expire(ids)
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
        case .launch(let id, let launch):
            // The caller may be a finished attempt, which keeps its slot, and the app's folder may not respond.
            Task(name: "launch of an app") {
                await self.attempt { () async throws(ServiceError) in try await self.launch(id, launch) }
            }
        case .act: break
        case .notifyApp(let token, let session): runtime.signal(token, .handleEvents(session: session))
        case .notifyReasons(let ids): notifyWaiting(ids)
        case .cleanUp: cleanUp()
        case .freed(let ids): waiters.resume(ids)
        case .freedNew(let ids): waiters.resume(in: ids)
        case .follow, .stop, .notifyWaiting, .consider, .launchGivenUp, .detached, .endSignals, .readPolicies,
            .saveForeground:
            return false
        }
        return true
    }

    /// Performs an effect that takes time.
    private func complete(_ effect: Effect) async throws(ServiceError) {
        switch effect {
        case .follow(let id, let request):
            guard let attempt = attempts[id] else { return }
            attempt.limiter.rate = request.transport.rateLimit
            attempt.gate.setPriority(request.timing.priority)
            await attempt.run?.follow(request)
        case .stop(let id, let error): await attempts[id]?.run?.stop(with: error)
        case .notifyWaiting(let record): await publishLive(.waiting, record)
        case .consider(let session): await consider(session)
        case .launchGivenUp(let session):
            logger.warning("gave up launching an app", metadata: ["session": "\(session)"])
            try await saveRegistration(session)
        case .readPolicies(let session): try await followNetwork(of: session)
        case .saveForeground(let foreground): try await save(foreground)
        case .detached(let session): await detached(session)
        case .endSignals(let listener): await hub.end(listener)
        default: break
        }
    }

    // MARK: Alarms

    func setAlarm(_ alarm: Alarm) { take(.plan(alarm)) }

    /// Schedules a wake-up for the next alarm.
    func arm() {
        guard !isShuttingDown else { return }
        alarm.set(waitingTransfers.nextAlarm, by: clock) { [weak self] in await self?.ring() }
    }

    private func ring() {
        alarm.rang()
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

    // MARK: Enqueueing

    /// Queues a transfer after a delay, and not before its begin date.
    ///
    /// - Parameter error: The error to wait for, if the journal does not contain it.
    func enqueue(
        _ record: TransferRecord, after delay: Double = 0, reason: WaitReason = .retry, error: ServiceError? = nil
    ) {
        take(.eligible(Input.Eligible(record: record, delay: delay, reason: reason, error: error)))
    }

    /// Queues pending transfers that are in no queue, and sets their deadline alarms.
    func enqueue(_ transfers: [PendingTransfer]) { take(.pending(transfers)) }

    private func read(_ reading: Backlog<StoredQueueKey>.Reading) async {
        do throws(ServiceError) {
            let limit = configuration.lineWindow
            let ids = try await journal.read { reader throws(ServiceError) in
                try reader.ids(in: reading.source, after: reading.after, through: reading.through, limit: limit)
            }
            take(.read(reading, ids))
        } catch {
            take(.readingFailed)
            noteFailure(error)
        }
    }

    /// Queues the given transfers, which have a position in their session's order.
    func takeOrdered(_ ids: [TransferID], of session: SessionID) async throws(ServiceError) {
        guard waitingTransfers.hasBacklog(of: session) else { return }
        take(.ordering(session))
        var pending: [PendingTransfer] = []
        defer { take(.ordered(pending, session)) }
        pending = try await journal.read { reader throws(ServiceError) in try reader.pending(ids) }
    }

    // MARK: Questions

    func key(_ record: TransferRecord) -> QueueKey { queue.sessions.key(record) }

    /// Returns the network policy that applies to a request: its session's, if it has one.
    func network(of request: TransferRequest) -> NetworkPolicy {
        queue.sessions.network(request.transport.network, in: request.session)
    }

    /// Returns a waiting transfer's own reason, or `nil` if it waits for the same reason as its whole queue.
    func ownReason(_ record: TransferRecord) -> WaitReason? {
        if isShuttingDown { return .shutdown }
        // The record was read before its last attempt ended and contains no retry: show it as it was then.
        guard let waiting = waitingTransfers.delay(of: record.id) else { return nil }
        let isKnown = record.retry != nil || waiting.error != nil
        return isKnown || waiting.reason == .beginDate || waiting.reason == .relaunch ? waiting.reason : nil
    }

    /// Returns why no transfer of this queue gets a slot.
    func obstacle(to record: TransferRecord) -> WaitReason {
        let key = key(record)
        return queue.conditions.obstacle(key) ?? currentLimits().obstacle(key) ?? .slot
    }

    /// Returns when a throttled origin accepts requests again, by the wall clock.
    func holdEnd(_ origin: String) -> Date? {
        waitingTransfers.holdEnd(origin).map { clock.wall.addingTimeInterval(($0 - clock.now) / .seconds(1)) }
    }
}
