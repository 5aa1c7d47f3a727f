import FerryCore
import FerryEngine
import FerryQueue
import FerryRules
import Foundation

/// Event streams of clients, and the events that the journal does not keep: transfers that run or wait, and samples of
/// running ones.
actor LiveEvents {
    private let queue: LiveQueue
    private let journal: any Journal
    private let hub: EventHub
    private let life: ServiceLife
    private var samplers: Task<Void, Never>?
    // SAFETY: The actor keeps alive what owns the executor.
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.unownedExecutor }

    /// Maximum number of transfers to notify of a change that concerns all.
    private static let mostNotified = 2000

    init(_ queue: LiveQueue, journal: any Journal, hub: EventHub, life: ServiceLife) {
        self.queue = queue
        self.journal = journal
        self.hub = hub
        self.life = life
    }

    // MARK: Streams

    func events(
        _ subscription: EventSubscription
    ) async throws(ServiceError) -> AsyncThrowingStream<TransferEvent, any Error> {
        try Self.check(subscription)
        let stream = try await hub.listen(subscription) { [weak self] id in await self?.hasEnded(id) ?? true }
        sampleAnew(for: subscription)
        return stream
    }

    func eventGroups(
        _ subscription: EventSubscription
    ) async throws(ServiceError) -> any AsyncSequence<[TransferEvent], any Error> & Sendable {
        try Self.check(subscription)
        let stream = try await hub.listenInGroups(subscription) { [weak self] id in await self?.hasEnded(id) ?? true }
        sampleAnew(for: subscription)
        return stream
    }

    /// Returns a session's events for its client, in short where accepted.
    func signals(
        _ subscription: EventSubscription, isBrief: Bool
    ) async throws(ServiceError) -> (listener: Int, signals: AsyncThrowingStream<SessionSignal, any Error>) {
        try Self.check(subscription)
        var subscription = subscription
        subscription.omitsChanges = true
        let followed = try await hub.signals(subscription, isBrief: isBrief)
        sampleAnew(for: subscription)
        return followed
    }

    private static func check(_ subscription: EventSubscription) throws(ServiceError) {
        guard let interval = subscription.progressInterval, !(0.05...60).contains(interval) else { return }
        throw ServiceError(.invalidRequest, "progress is 0.05 to 60 seconds, not \(interval).")
    }

    private func hasEnded(_ id: TransferID) async -> Bool {
        // The journal suffices: an outcome is committed before its event is published.
        let record = try? await journal.read { reader throws(ServiceError) in try reader.record(id) }
        guard let record else { return true }
        return record.outcome != nil
    }

    // MARK: Running and waiting

    /// Publishes that a transfer runs, waits or has changed.
    func publishLive(_ kind: TransferEvent.Kind, _ record: TransferRecord) async {
        guard hub.hasLiveListeners else { return }
        await hub.publish(
            TransferEvent(
                number: nil, kind: kind, at: queue.clock.wall, id: record.id, session: record.request.session,
                transfer: queue.shown(record)))
    }

    /// Publishes a waiting event for each given transfer that still waits.
    func notifyWaiting(_ ids: [TransferID]) async {
        for id in ids.prefix(Self.mostNotified) {
            if let record = await waitingRecord(id) { await publishLive(.waiting, record) }
        }
    }

    /// Publishes a waiting event for each given transfer that waits for better conditions, for its server or for its
    /// host's limit. The short form of an event does not carry these reasons.
    func notifyObstacles(of ids: [TransferID]) async {
        let areHeld = !queue.conditions.areGood || !queue.waitingTransfers.throttledOrigins.isEmpty
        guard areHeld || !queue.crowded.isEmpty else { return }
        for id in ids.prefix(areHeld ? Self.mostNotified : Queue.hostNotificationLimit) {
            guard let record = await waitingRecord(id) else { continue }
            let key = queue.sessions.key(record)
            guard
                queue.conditions.obstacle(key) != nil || queue.waitingTransfers.holdEnd(key.origin) != nil
                    || queue.crowded.contains(key)
            else { continue }
            await publishLive(.waiting, record)
        }
    }

    /// Returns the record of a transfer, or `nil` if it does not wait.
    private func waitingRecord(_ id: TransferID) async -> TransferRecord? {
        guard !queue.running.contains(id), let record = try? await journal.existing(id), record.isEligible,
            !queue.running.contains(id)
        else { return nil }
        return record
    }

    // MARK: Samples

    /// Samples running transfers as long as there are any and a listener wants samples. An idle service has no timer.
    func startSampling() {
        guard samplers == nil, hub.hasLiveListeners, !queue.running.isEmpty, !life.isEnding else { return }
        samplers = Task(name: "samples of running transfers") { [weak self, clock = queue.clock] in
            while !Task.isCancelled, let interval = await self?.sample() {
                try? await clock.sleep(for: .seconds(interval))
            }
        }
    }

    func stopSampling() {
        samplers?.cancel()
        samplers = nil
    }

    /// Restarts sampling: an earlier listener may have asked for a longer interval, with the next sample far away.
    private func sampleAnew(for subscription: EventSubscription) {
        guard subscription.progressInterval != nil else { return }
        stopSampling()
        startSampling()
    }

    private func sample() async -> Double? {
        let interval = await hub.sampleInterval
        guard !Task.isCancelled else { return nil }
        guard let interval, !queue.running.isEmpty else {
            samplers = nil
            return nil
        }
        for id in queue.running.ids {
            if let record = queue.running.record(of: id) { await publishLive(.progress, record) }
        }
        return interval
    }
}
