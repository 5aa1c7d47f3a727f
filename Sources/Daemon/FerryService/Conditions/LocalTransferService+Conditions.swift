package import FerryCore
import FerryEngine
import FerryQueue
import FerryRules
import Foundation
import Logging

/// Applying network and power conditions to waiting and running transfers.
extension LocalTransferService {
    /// Applies the current conditions to all transfers.
    func takeConditions() {
        if !isShuttingDown { take(.conditions(watch.source.report)) }
    }

    // MARK: Notifications

    /// Publishes a waiting event for each given transfer that still waits, up to 2000.
    func notifyWaiting(_ ids: [TransferID]) {
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

    /// Publishes a waiting event for each given transfer that waits for better conditions, for its server or for its
    /// host's limit. The short form of an event does not carry these reasons.
    func notifyObstacles(of ids: [TransferID]) async {
        let areHeld = !queue.conditions.areGood || !waitingTransfers.throttledOrigins.isEmpty
        guard areHeld || !queue.crowded.isEmpty else { return }
        for id in ids.prefix(areHeld ? 2000 : Queue.hostNotificationLimit) where !running.contains(id) {
            guard let record = try? await existing(id), record.isEligible, !running.contains(id) else {
                continue
            }
            let key = key(record)
            guard
                queue.conditions.obstacle(key) != nil || waitingTransfers.holdEnd(key.origin) != nil
                    || queue.crowded.contains(key)
            else { continue }
            await publishLive(.waiting, record)
        }
    }

    // MARK: Loads

    /// Returns the condition that blocks requests to a URL outside of transfers: the current one, then every change.
    package func obstacles(to url: String, _ policy: NetworkPolicy) -> AsyncStream<WaitReason?> {
        let origin = (try? HTTPURL(parsing: url))?.origin.description ?? url
        let key = QueueKey(session: .cli, origin: origin, priority: .normal, network: policy)
        let changes = conditionChanges()
        take(.dependent(key))
        let (reasons, continuation) = AsyncStream.makeStream(of: WaitReason?.self)
        let task = Task(name: "obstacles") { [weak self] in
            var last: WaitReason??
            for await _ in changes {
                guard let self else { break }
                guard await queue.conditions.isSettled(key) else { continue }
                let reason = await queue.conditions.obstacle(key)
                if last != .some(reason) { continuation.yield(reason) }
                last = .some(reason)
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return reasons
    }

    /// Returns a stream with one element at once and one after each change. Bursts are coalesced.
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
