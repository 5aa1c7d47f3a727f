// Ferry: FerryService
// Slots: who gets one, and when.

import FerryCore
import FerryEngine
import Foundation
import HeapModule
import Logging

extension LocalTransferService {
    /// Gives every free slot away; called after everything that may have freed one or made a transfer eligible.
    ///
    /// See docs/behaviour/transfers.md#L6.
    func schedule() {
        guard !isShuttingDown, !startWatch.isHeld else { return }
        failForbidden()
        var limits = currentLimits()
        while !limits.isFull,
            let next = lines.next(
                isInOrder: { queue.sessions.settings(of: $0).inOrder },
                mayRun: { limits.obstacle($0) == nil && queue.conditions.isPermitted($0) })
        {
            if start(next.id, next.key) { limits.add(next.key) }
        }
        readOn()
        paceConditions()
        planUpkeep()
    }

    /// Gives the free slots away once those who have their turn now are done: many ends of a moment make one look.
    func scheduleSoon() {
        guard !isScheduling else { return }
        isScheduling = true
        Task(name: "free slots") {
            self.isScheduling = false
            self.schedule()
        }
    }

    /// What may run beside the transfers that have a slot.
    func currentLimits() -> SlotLimits {
        // A look-up that is given up says so to its counters alone.
        for id in running.waitingForNames where attempts[id]?.waitsForName == false { running.waitsForNoName(id) }
        return running.limits(under: slotRules)
    }

    /// The limits before anything runs.
    var slotRules: SlotLimits { queue.sessions.rules(heldOrigins: lines.heldOrigins) }

    /// Why a transfer that is not running waits, where that is not what those in its line wait for.
    func ownReason(_ record: TransferRecord) -> WaitReason? {
        if isShuttingDown { return .shutdown }
        if startWatch.isHeld { return .held }
        // A record that was read before its last try ended knows no plan: it is shown as it was then.
        guard let waiting = lines.delay(of: record.id) else { return nil }
        let isKnown = record.retry != nil || waiting.error != nil
        return isKnown || waiting.reason == .beginDate || waiting.reason == .relaunch ? waiting.reason : nil
    }

    /// What is in the way of those in a transfer's line.
    func obstacle(to record: TransferRecord) -> WaitReason {
        let key = key(record)
        return obstacle(key) ?? currentLimits().obstacle(key) ?? .slot
    }

    func key(_ record: TransferRecord) -> QueueKey {
        let origin = (try? HTTPURL(parsing: record.request.url))?.origin.description ?? record.request.url
        return QueueKey(
            session: record.request.session, origin: origin, priority: record.request.priority,
            network: network(of: record.request))
    }

    /// The network policy that applies to a request: its session's, where that has one.
    func network(of request: TransferRequest) -> NetworkPolicy { network(request.network, in: request.session) }

    func network(_ own: NetworkPolicy, in session: SessionID) -> NetworkPolicy {
        queue.sessions.network(own, in: session)
    }

    /// Puts a transfer in line, at once or after its delay; one that is live comes back once its attempt ends.
    ///
    /// - Parameter error: what it waits for, where the journal does not say so.
    func enqueue(
        _ id: TransferID, _ key: QueueKey, after delay: Double = 0, reason: WaitReason = .retry,
        error: TransferError? = nil
    ) {
        guard !running.contains(id) else { return }
        watchConditions(for: key)
        guard delay > 0 else { return lines.insert(id, key) }
        let until = ContinuousClock.now + .wait(seconds: delay)
        lines.delay(id, DelayedTransfer(key: key, until: until, reason: reason, error: error))
        arm()
    }

    // MARK: Alarms

    func setAlarm(_ alarm: Alarm) {
        lines.set(alarm)
        arm()
    }

    /// Sees to it that the next alarm is heard.
    func arm() {
        guard !isShuttingDown else { return }
        clock.set(lines.nextAlarm) { [weak self] in await self?.ring() }
    }

    private func ring() async {
        clock.rang()
        var due: [TransferID] = []
        for cause in lines.ring(at: .now) {
            switch cause {
            case .due(let id): due.append(id)
            case .look: lookAhead()
            case .sweep: sweepAgain()
            case .cleanUp: cleanUp()
            case .trialEnds: startWatch.succeeded()
            case .settling: await endSettling()
            case .launch(let session): await repeatLaunch(session)
            case .upkeep: tidyUp()
            case .retry, .release: break
            }
        }
        schedule()
        arm()
        if !due.isEmpty { pass(due) }
    }
}
