import FerryCore
import FerryQueue
import Logging

/// Passes the queue's effects to the parts that perform them.
extension LocalTransferService: EffectPerformer {
    func runAttempt(_ id: TransferID) async -> NextAttempt? { await parts.runner.run(id) }

    func begin(_ effect: Effect) -> Bool {
        switch effect {
        case .readOverdue(let ids): Task(name: "ends of overdue transfers") { await self.parts.deadlines.expire(ids) }
        case .readDue(let start, let end):
            Task(name: "deadlines of the near future") { await self.parts.deadlines.read(from: start, through: end) }
        case .rest: Task(name: "planning of maintenance") { await self.parts.upkeep.plan() }
        case .work(let cause): work(cause)
        case .cleanUp: cleanUp()
        case .watch(let needs):
            conditions.watch(needs) { [weak self] in
                Task(name: "changed conditions") { await self?.takeConditions() }
            }
        case .pollPower(.never): conditions.pollPower(every: nil)
        case .pollPower(.every(let seconds)): conditions.pollPower(every: seconds)
        case .conditionsChanged(let conditions):
            configuration.logger.info("conditions", metadata: ["conditions": "\(conditions)"])
            parts.obstacles.assumeIsolated { $0.conditionsChanged() }
        case .launch(let id, let launch):
            // The caller may be a finished attempt, which keeps its slot, and the app's folder may not respond.
            Task(name: "launch of an app") { await self.parts.apps.launches.launch(id, launch) }
        case .notifyApp(let token, let session):
            parts.apps.connections.assumeIsolated { $0.signal(token, .handleEvents(session: session)) }
        case .notifyReasons(let ids):
            if !ids.isEmpty { Task(name: "events of waiting transfers") { await self.parts.events.notifyWaiting(ids) } }
        case .notifyWaiting, .consider, .launchGivenUp, .readPolicies, .saveForeground, .detached, .endSignals:
            return false
        // The queue performs these itself.
        case .act, .freed, .freedNew, .start, .follow, .stop, .deferSchedule, .readOn, .renewConnections, .limits,
            .sessionLimits:
            break
        }
        return true
    }

    func complete(_ effect: Effect) async throws(ServiceError) {
        switch effect {
        case .notifyWaiting(let record): await parts.events.publishLive(.waiting, record)
        case .consider(let session): await parts.apps.launches.consider(session)
        case .launchGivenUp(let session): try await parts.apps.launches.giveUp(session)
        case .readPolicies(let session): try await parts.settings.followNetwork(of: session)
        case .saveForeground(let foreground): try await parts.apps.connections.save(foreground)
        case .detached(let session): await parts.apps.attachments.detached(session)
        case .endSignals(let listener): await hub.end(listener)
        default: break
        }
    }

    private func work(_ cause: Alarm.Cause) {
        switch cause {
        case .sweep: Task(name: "sweep of the spool") { try? await self.parts.spool.sweep() }
        case .cleanUp: cleanUp()
        case .trialEnds: life.succeeded()
        case .settling: Task(name: "apps after a start") { await self.parts.apps.launches.endSettling() }
        case .upkeep: Task(name: "upkeep of the journal") { await self.parts.upkeep.tidyUp() }
        case .due, .schedule, .launch, .lease, .retry, .release: break
        }
    }

    func cleanUp() { Task(name: "clean-up") { await self.parts.cleanUps.begin() } }

    /// Applies the current conditions to all transfers.
    private func takeConditions() {
        if !life.isEnding { queue.take(.conditions(conditions.report)) }
    }
}
