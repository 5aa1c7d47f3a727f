// Ferry: FerryService
// Events of the queue, and samples of what runs.

package import FerryCore
import FerryEngine
import FerryStore
import Foundation
import NIOCore
import Synchronization

extension LocalTransferService {
    package func events(
        _ subscription: EventSubscription
    ) async throws(TransferError) -> AsyncThrowingStream<TransferEvent, any Error> {
        if let interval = subscription.progressInterval, !(0.05...60).contains(interval) {
            throw TransferError(.invalidRequest, "progress is 0.05 to 60 seconds, not \(interval).")
        }
        let stream = await hub.listen(subscription) { [weak self] id in await self?.hasEnded(id) ?? true }
        startSampling()
        return stream
    }

    package func acknowledge(_ session: SessionID, through number: Int64) async throws(TransferError) {
        try await noting { () async throws(TransferError) in
            try await journal.commit { transaction throws(TransferError) in
                try transaction.acknowledge(session, through: number)
            }
        }
    }

    private func hasEnded(_ id: TransferID) async -> Bool {
        guard live[id] == nil else { return false }
        let record = try? await journal.read { reader throws(TransferError) in try reader.record(id) }
        guard let record else { return true }
        return record.outcome != nil
    }

    /// Tells listeners what the journal does not keep: that a transfer runs, or waits, and why.
    func publishLive(_ kind: TransferEvent.Kind, _ record: TransferRecord) async {
        await hub.publish(
            TransferEvent(
                number: nil, kind: kind, at: Date(), id: record.id, session: record.request.session,
                transfer: shown(record)))
    }

    func shown(_ record: TransferRecord) -> Transfer {
        guard record.outcome == nil, var transfer = live[record.id], transfer.run != nil else {
            return Transfer(record, live: .waiting(record.outcome == nil ? waitReason(record) : .slot))
        }
        let now = NIODeadline.now().uptimeNanoseconds
        transfer.meter.add(bytes: transfer.progress.received.load(ordering: .relaxed), now: now)
        live[record.id]?.meter = transfer.meter
        return Transfer(record, live: transfer.liveState(now: now))
    }

    // MARK: Samples

    /// Samples running transfers as long as there are any and somebody looks; a service at rest has no timer.
    func startSampling() {
        guard samplers == nil, !live.isEmpty, !isShuttingDown else { return }
        samplers = Task(name: "samples of running transfers") { [weak self] in
            while !Task.isCancelled, let interval = await self?.sample() {
                try? await Task.sleep(for: .seconds(interval))
            }
            await self?.stopSampling()
        }
    }

    private func stopSampling() { samplers = nil }

    private func sample() async -> Double? {
        guard let interval = await hub.sampleInterval, !live.isEmpty else { return nil }
        for transfer in live.values {
            guard let record = transfer.record else { continue }
            await hub.publish(
                TransferEvent(
                    number: nil, kind: .progress, at: Date(), id: record.id, session: record.request.session,
                    transfer: shown(record)))
        }
        return interval
    }

    /// Runs a call, and ends the service if it shows that the journal has failed.
    func noting<Value: Sendable>(
        _ body: () async throws(TransferError) -> Value
    ) async throws(TransferError) -> Value {
        do throws(TransferError) {
            return try await body()
        } catch {
            noteFailure(error)
            throw error
        }
    }
}
