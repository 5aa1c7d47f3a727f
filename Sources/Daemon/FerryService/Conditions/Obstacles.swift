import FerryCore
import FerryQueue
import FerryRules
import Foundation

/// The conditions that block requests outside of transfers, for the callers that wait for them.
actor Obstacles {
    private let queue: LiveQueue
    private let life: ServiceLife
    private var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
    private var lastListener = 0
    // SAFETY: The actor keeps alive what owns the executor.
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.unownedExecutor }

    init(_ queue: LiveQueue, life: ServiceLife) {
        self.queue = queue
        self.life = life
    }

    /// Returns the condition that blocks requests to a URL: the current one, then every change.
    func obstacles(to url: String, _ policy: NetworkPolicy) -> AsyncStream<WaitReason?> {
        let origin = (try? HTTPURL(parsing: url))?.origin.description ?? url
        let key = QueueKey(session: .cli, origin: origin, priority: .normal, network: policy)
        let changes = changes()
        queue.take(.dependent(key))
        let (reasons, continuation) = AsyncStream.makeStream(of: WaitReason?.self)
        let task = Task(name: "obstacles") { [weak self] in
            var last: WaitReason??
            for await _ in changes {
                guard let conditions = await self?.conditions else { break }
                guard conditions.isSettled(key) else { continue }
                let reason = conditions.obstacle(key)
                if last != .some(reason) { continuation.yield(reason) }
                last = .some(reason)
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return reasons
    }

    private var conditions: KnownConditions { queue.conditions }

    /// Notifies all listeners that the conditions have changed.
    func conditionsChanged() {
        for listener in listeners.values { listener.yield() }
    }

    /// Ends the streams of all listeners.
    func end() {
        for listener in listeners.values { listener.finish() }
    }

    /// Returns a stream with one element at once and one after each change. Bursts are coalesced.
    private func changes() -> AsyncStream<Void> {
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        continuation.yield()
        guard !life.isEnding else {
            continuation.finish()
            return changes
        }
        lastListener += 1
        let number = lastListener
        listeners[number] = continuation
        continuation.onTermination = { [weak self] _ in
            Task(name: "end of a listener") { await self?.remove(number) }
        }
        return changes
    }

    private func remove(_ number: Int) { listeners[number] = nil }
}
