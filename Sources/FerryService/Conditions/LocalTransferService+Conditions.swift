// Ferry: FerryService
// Networks and power: who may run, who has to stop, and who goes on.

package import FerryCore
import FerryEngine
import Foundation
import Logging

extension LocalTransferService {
    /// Which condition is in the way of those with a key; nil if none is, or none is known to be.
    func obstacle(_ key: QueueKey) -> WaitReason? { queue.conditions.obstacle(key) }

    // MARK: Watching

    /// Sees to it that what a transfer depends on is watched, from its first moment in line.
    func watchConditions(for key: QueueKey) {
        guard !isShuttingDown, let needs = queue.conditions.depend(on: key) else { return }
        watch.source.watch(needs) { [weak self] in
            Task(name: "changed conditions") { await self?.takeConditions() }
        }
    }

    /// Has the power looked at while a discretionary transfer runs or waits; a service at rest does not wake up for it.
    func paceConditions() {
        switch queue.conditions.setPace(
            isWaiting: lines.keys.contains(where: \.network.isDiscretionary), isRunning: running.hasDiscretionary)
        {
        case nil: break
        case .never: watch.source.pollPower(every: nil)
        case .every(let seconds): watch.source.pollPower(every: seconds)
        }
    }

    /// Takes the conditions up as they are, and lets all transfers follow.
    func takeConditions() {
        guard !isShuttingDown else { return }
        let reasons = currentReasons()
        let constrained = queue.sessions.settings.constrained
        guard let change = queue.conditions.take(watch.source.report, constrained: constrained) else { return }
        logger.info("conditions", metadata: ["conditions": "\(queue.conditions)"])
        if change.cameUp {
            engine.networkChanged()
            lines.wake(waitingFor: .retry)
            lines.wake(waitingFor: .network)
        }
        if !queue.conditions.areGood {
            for id in running.ids {
                Task(name: "conditions of transfer \(id)") { await self.stopIfForbidden(id) }
            }
        }
        schedule()
        tellWaiting(reasons)
        watch.tellListeners()
    }

    // MARK: Stopping and failing

    /// Stops a run that the conditions forbid; it goes on by itself once they allow it, or ends if it does not wait.
    func stopIfForbidden(_ id: TransferID) async {
        guard !queue.conditions.areGood, let run = attempts[id]?.run,
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
        guard !queue.conditions.areGood else { return }
        let hurried = lines.keys.filter { !$0.network.waits }
        for key in hurried where queue.conditions.isSettled(key) {
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
        if queue.conditions.areGood { return [:] }
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
        guard !queue.conditions.areGood || !lines.heldOrigins.isEmpty else { return }
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

    private func isSettled(_ key: QueueKey) -> Bool { queue.conditions.isSettled(key) }

    /// A stream with an element at once and after each change; bursts are one.
    private func conditionChanges() -> AsyncStream<Void> {
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        continuation.yield()
        guard !isShuttingDown else {
            continuation.finish()
            return changes
        }
        let number = watch.add(continuation)
        continuation.onTermination = { [weak self] _ in
            Task(name: "end of a listener") { await self?.removeListener(number) }
        }
        return changes
    }

    private func removeListener(_ number: Int) { watch.remove(number) }
}
