package import FerryCore
import FerryEngine
import FerryQueue
import FerryRules
import Foundation
import Synchronization

/// Live events of the queue, and samples of running transfers.
extension LocalTransferService {
    package func events(
        _ subscription: EventSubscription
    ) async throws(ServiceError) -> AsyncThrowingStream<TransferEvent, any Error> {
        try Self.check(subscription)
        let stream = try await hub.listen(subscription) { [weak self] id in await self?.hasEnded(id) ?? true }
        sampleAnew(for: subscription)
        return stream
    }

    package func eventGroups(
        _ subscription: EventSubscription
    ) async throws(ServiceError) -> any AsyncSequence<[TransferEvent], any Error> & Sendable {
        try Self.check(subscription)
        let stream = try await hub.listenInGroups(subscription) { [weak self] id in await self?.hasEnded(id) ?? true }
        sampleAnew(for: subscription)
        return stream
    }

    package func lastEvent() async throws(ServiceError) -> Int64 { await hub.lastNumber }

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

    /// Restarts sampling: an earlier listener may have asked for a longer interval, with the next sample far away.
    private func sampleAnew(for subscription: EventSubscription) {
        guard subscription.progressInterval != nil else { return }
        samplers?.cancel()
        samplers = nil
        startSampling()
    }

    package func acknowledge(_ session: SessionID, through number: Int64) async throws(ServiceError) {
        try await noting { () async throws(ServiceError) in
            try await journal.commit { transaction throws(ServiceError) in
                try transaction.acknowledge(session, through: number)
            }
        }
    }

    private func hasEnded(_ id: TransferID) async -> Bool {
        // The journal suffices: an outcome is committed before its event is published.
        let record = try? await journal.read { reader throws(ServiceError) in try reader.record(id) }
        guard let record else { return true }
        return record.outcome != nil
    }

    /// Publishes events that the journal does not keep: a transfer runs, or waits for a reason.
    func publishLive(_ kind: TransferEvent.Kind, _ record: TransferRecord) async {
        guard hub.hasLiveListeners else { return }
        await hub.publish(
            TransferEvent(
                number: nil, kind: kind, at: clock.wall, id: record.id, session: record.request.session,
                transfer: shown(record)))
    }

    func shown(_ record: TransferRecord) -> Transfer {
        guard record.outcome == nil, running.hasRun(record.id), let attempt = attempts[record.id] else {
            return waiting(record) { obstacle(to: record) }
        }
        // The user's intent counts while the disk keeps the run from ending.
        if running.disposition(of: record.id) == .isAbandoned, record.intent != .run { return suspending(record) }
        let now = clock.awake
        var shown = Transfer(record, live: attempt.liveState(now: now))
        shown.bytesSent = max(shown.bytesSent, attempt.progress.sent.load(ordering: .relaxed))
        let verified = attempt.progress.verified.load(ordering: .relaxed)
        shown.own.verifiedLength = verified < 0 ? nil : verified
        shown.own.waitsForVerification =
            verified < 0 && running.isWhole(record.id) && !record.request.response.checksums.isEmpty
        shown.bytesSpent = max(shown.bytesSpent, attempt.progress.spent.load(ordering: .relaxed))
        return shown
    }

    /// - Parameter obstacle: Returns what blocks the transfer's whole queue. Called only if the transfer has no reason
    ///   of its own.
    func waiting(_ record: TransferRecord, obstacle: () -> WaitReason) -> Transfer {
        guard record.isEligible else { return Transfer(record, live: .waiting(.slot)) }
        let reason = ownReason(record) ?? obstacle()
        var transfer = Transfer(record, live: .waiting(reason))
        transfer.reason = reason
        // The attempt is due: the transfer waits for the same reason as its whole queue.
        guard let waiting = waitingTransfers.delay(of: record.id) else {
            transfer.nextAttemptAt = reason == .server ? holdEnd(key(record).origin) : nil
            return transfer
        }
        transfer.own.isActive = WaitReason.ofActive.contains(waiting.reason)
        if let error = waiting.error {
            transfer.error = error
            transfer.nextAttemptAt = clock.wall.addingTimeInterval(waiting.rest(at: clock.now))
        }
        return transfer
    }

    // MARK: Samples

    /// Samples running transfers as long as there are any and a listener wants samples. An idle service has no timer.
    func startSampling() {
        guard samplers == nil, hub.hasLiveListeners, !running.isEmpty, !isShuttingDown else { return }
        samplers = Task(name: "samples of running transfers") { [weak self, clock] in
            while !Task.isCancelled, let interval = await self?.sample() {
                try? await clock.sleep(for: .seconds(interval))
            }
        }
    }

    private func sample() async -> Double? {
        let interval = await hub.sampleInterval
        guard !Task.isCancelled else { return nil }
        guard let interval, !running.isEmpty else {
            samplers = nil
            return nil
        }
        for id in running.ids {
            guard let record = running.record(of: id) else { continue }
            await hub.publish(
                TransferEvent(
                    number: nil, kind: .progress, at: clock.wall, id: record.id, session: record.request.session,
                    transfer: shown(record)))
        }
        return interval
    }

    /// Reads from the journal, and ends the service if that shows that the journal has failed.
    func reading<Value: Sendable>(
        _ body: @escaping @Sendable (any JournalReader) throws(ServiceError) -> Value
    ) async throws(ServiceError) -> Value {
        try await noting { () async throws(ServiceError) in try await journal.read(body) }
    }

    /// Runs a call, and ends the service if the error shows that the journal has failed.
    func noting<Value: Sendable>(
        _ body: () async throws(ServiceError) -> Value
    ) async throws(ServiceError) -> Value {
        do throws(ServiceError) {
            return try await body()
        } catch {
            noteFailure(error)
            throw error
        }
    }
}
