// Ferry: FerryService
// Networks and power: who may run, who has to stop, and who goes on.

package import FerryCore
import FerryEngine
import FerryStore
import Foundation
import Logging

extension LocalTransferService {
    /// Which condition is in the way of those with a key; nil if none is, or none is known to be.
    func obstacle(_ key: QueueKey) -> WaitReason? {
        if watch.conditions.areGood { return nil }
        return ConditionRule.obstacle(key.network, watch.conditions, isLoopback: isLoopback(key.origin))
    }

    /// Whether the conditions let those with a key run. What they depend on must be known.
    func isPermitted(_ key: QueueKey) -> Bool { isSettled(key) && obstacle(key) == nil }

    private func isSettled(_ key: QueueKey) -> Bool {
        watch.isSettled || watch.needs(key.network, isLoopback: isLoopback(key.origin)).isSubset(of: watch.known)
    }

    private func isLoopback(_ origin: String) -> Bool {
        configuration.isLoopback(String(LoopbackHost.host(ofOrigin: origin)))
    }

    // MARK: Watching

    /// Sees to it that what a transfer depends on is watched, from its first moment in line.
    func watchConditions(for key: QueueKey) {
        guard key != watch.latest, !watch.watched.isSuperset(of: key.network.needs) else { return }
        watch.latest = key
        let needs = watch.needs(key.network, isLoopback: isLoopback(key.origin))
        guard !watch.watched.isSuperset(of: needs), !isShuttingDown else { return }
        watch.watched.formUnion(needs)
        watch.source.watch(needs) { [weak self] in
            Task(name: "changed conditions") { await self?.takeConditions() }
        }
    }

    /// Has the power looked at while a discretionary transfer runs or waits; a service at rest does not wake up for it.
    func paceConditions() {
        guard watch.watched.contains(.power) else { return }
        var pace: Int?
        if lines.keys.contains(where: \.network.isDiscretionary) { pace = 15 }
        // What runs on must stop within five seconds.
        if running.hasDiscretionary { pace = 3 }
        guard pace != watch.pace else { return }
        watch.pace = pace
        watch.source.pollPower(every: pace)
    }

    /// Takes the conditions up as they are, and lets all transfers follow.
    func takeConditions() {
        guard !watch.watched.isEmpty, !isShuttingDown else { return }
        let report = watch.source.report
        var conditions = report.conditions
        conditions.constrained = conditions.constrained || queue.sessions.settings.constrained
        guard conditions != watch.conditions || report.known != watch.known else { return }
        let reasons = currentReasons()
        let old = watch.conditions
        let wasKnown = watch.known.contains(.reachability)
        watch.latest = nil
        watch.conditions = conditions
        watch.known = report.known
        logger.info("conditions", metadata: ["conditions": "\(conditions)"])
        if wasKnown, conditions.cameUp(since: old) {
            engine.networkChanged()
            lines.wake(waitingFor: .retry)
            lines.wake(waitingFor: .network)
        }
        if !conditions.areGood {
            for id in running.ids {
                Task(name: "conditions of transfer \(id)") { await self.stopIfForbidden(id) }
            }
        }
        schedule()
        tellWaiting(reasons)
        for listener in watch.listeners.values { listener.yield() }
    }

    // MARK: Stopping and failing

    /// Stops a run that the conditions forbid; it goes on by itself once they allow it, or ends if it does not wait.
    func stopIfForbidden(_ id: TransferID) async {
        guard !watch.conditions.areGood, let run = attempts[id]?.run,
            let record = running.record(of: id), let reason = obstacle(key(record))
        else { return }
        if let error = ConditionRule.error(reason, network(of: record.request)) {
            await run.stop(with: error)
        } else {
            await run.stop()
        }
    }

    /// Takes those out of the line that do not wait for better conditions.
    func failForbidden() {
        guard !watch.conditions.areGood else { return }
        let hurried = lines.keys.filter { !$0.network.waits }
        for key in hurried where isSettled(key) {
            guard let reason = obstacle(key), ConditionRule.error(reason, key.network) != nil else { continue }
            for id in lines.removeAll(with: key) {
                Task(name: "end of transfer \(id)") { await self.fail(id, reason) }
            }
        }
    }

    private func fail(_ id: TransferID, _ reason: WaitReason) async {
        await takeTurn(id)
        defer { leaveTurn(id) }
        var known: TransferRecord?
        do throws(TransferError) {
            let record = try await existing(id)
            guard record.isEligible, !running.contains(id), !isShuttingDown else { return }
            known = record
            var machine = TransferMachine(record, network: network(of: record.request))
            guard case .finish(let outcome) = machine.forbidden(reason) else {
                // It was changed to wait.
                lineUp(record)
                return schedule()
            }
            lines.leave(id, key(record))
            try await finish(machine.record, outcome)
        } catch {
            guard let known else { return noteFailure(error) }
            lineUpLater(known, error)
        }
    }

    // MARK: Telling

    /// Which condition is in the way of which of those who wait.
    private func currentReasons() -> [QueueKey: WaitReason] {
        if watch.conditions.areGood { return [:] }
        return Dictionary(uniqueKeysWithValues: lines.keys.compactMap { key in obstacle(key).map { (key, $0) } })
    }

    /// Tells listeners of those who wait for something else than before; a listing shows all of them in any case.
    private func tellWaiting(_ before: [QueueKey: WaitReason]) {
        let after = currentReasons()
        let changed = lines.keys.filter { before[$0] != after[$0] }
        tellWaiting(changed.flatMap { lines.waiting(with: $0, limit: 500) })
    }

    /// Tells listeners what some of those who wait wait for.
    func tellWaiting(_ ids: [TransferID]) {
        guard !ids.isEmpty else { return }
        Task(name: "news of those who wait") {
            for id in ids.prefix(2000) where !running.contains(id) {
                guard let record = try? await existing(id), record.isEligible, !running.contains(id) else {
                    continue
                }
                await publishLive(.waiting, record)
            }
        }
    }

    /// Publishes a waiting event for each given transfer that waits for better conditions or for its server, which the short
    /// form of an event does not say.
    func tellObstacles(of ids: [TransferID]) async {
        guard !watch.conditions.areGood || !lines.heldOrigins.isEmpty else { return }
        for id in ids.prefix(2000) where !running.contains(id) {
            guard let record = try? await existing(id), record.isEligible, !running.contains(id) else {
                continue
            }
            let key = key(record)
            guard obstacle(key) != nil || lines.holdEnd(key.origin) != nil else { continue }
            await publishLive(.waiting, record)
        }
    }

    // MARK: Others who ask

    /// Which condition is in the way of requests to a URL that are no transfers: now, and after each change.
    package func obstacles(to url: String, _ policy: NetworkPolicy) -> AsyncStream<WaitReason?> {
        let origin = (try? HTTPURL(parsing: url))?.origin.description ?? url
        let key = QueueKey(session: .cli, origin: origin, priority: .normal, network: policy)
        let changes = conditionChanges()
        watchConditions(for: key)
        let (reasons, continuation) = AsyncStream.makeStream(of: WaitReason?.self)
        let task = Task(name: "obstacles") { [weak self] in
            var last: WaitReason??
            for await _ in changes {
                guard let self else { break }
                guard await isSettled(key) else { continue }
                let reason = await obstacle(key)
                if last != .some(reason) { continuation.yield(reason) }
                last = .some(reason)
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return reasons
    }

    /// A stream with an element at once and after each change; bursts are one.
    private func conditionChanges() -> AsyncStream<Void> {
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        continuation.yield()
        guard !isShuttingDown else {
            continuation.finish()
            return changes
        }
        watch.lastListener += 1
        let number = watch.lastListener
        watch.listeners[number] = continuation
        continuation.onTermination = { [weak self] _ in
            Task(name: "end of a listener") { await self?.removeListener(number) }
        }
        return changes
    }

    private func removeListener(_ number: Int) { watch.listeners[number] = nil }
}
