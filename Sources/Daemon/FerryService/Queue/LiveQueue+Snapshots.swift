import FerryCore
import FerryEngine
import FerryQueue
import FerryRules
import Foundation
import Synchronization

/// Snapshots of transfers, as clients see them.
extension LiveQueue {
    /// Returns a snapshot of a transfer as it is.
    nonisolated func shown(_ record: TransferRecord) -> Transfer { assumeIsolated { $0.snapshot(record) } }

    /// Returns snapshots of transfers. Shared values are computed once.
    nonisolated func shown(_ listed: [ListedTransfer]) -> [Transfer] { assumeIsolated { $0.snapshots(listed) } }

    /// Returns the transfer as its suspension event shows it. Its run may still be making bytes durable.
    nonisolated func suspending(_ record: TransferRecord) -> Transfer {
        var shown = Transfer(record, live: .waiting(.slot))
        guard running.hasRun(record.id), let progress = attempt(at: record.id)?.progress else { return shown }
        shown.bytesReceived = max(shown.bytesReceived, progress.received.load(ordering: .relaxed))
        shown.bytesExpected = progress.expectedLength ?? shown.bytesExpected
        return shown
    }

    private func snapshot(_ record: TransferRecord) -> Transfer {
        guard record.outcome == nil, queue.running.hasRun(record.id), let attempt = attempts[record.id] else {
            return waiting(record) { obstacle(to: record) }
        }
        // The user's intent counts while the disk keeps the run from ending.
        if queue.running.disposition(of: record.id) == .isAbandoned, record.intent != .run { return suspending(record) }
        return attempt.shown(record, now: clock.awake, isWhole: queue.running.isWhole(record.id))
    }

    private func snapshots(_ listed: [ListedTransfer]) -> [Transfer] {
        refreshNames()
        let limits = queue.limits
        var obstacles: [QueueKey: WaitReason] = [:]
        return listed.map { transfer in
            let record = transfer.record
            guard record.isEligible, !queue.running.hasRun(record.id) else { return snapshot(record) }
            let request = record.request
            let key = QueueKey(
                session: request.session, origin: transfer.origin, priority: request.timing.priority,
                network: queue.sessions.network(request.transport.network, in: request.session))
            return waiting(record) {
                if let known = obstacles[key] { return known }
                let reason = queue.conditions.obstacle(key) ?? limits.obstacle(key) ?? .slot
                obstacles[key] = reason
                return reason
            }
        }
    }

    // MARK: Waiting

    /// - Parameter obstacle: Returns what blocks the transfer's whole queue. Called only if the transfer has no reason
    ///   of its own.
    private func waiting(_ record: TransferRecord, obstacle: () -> WaitReason) -> Transfer {
        guard record.isEligible else { return Transfer(record, live: .waiting(.slot)) }
        let reason = ownReason(record) ?? obstacle()
        var transfer = Transfer(record, live: .waiting(reason))
        transfer.reason = reason
        // The attempt is due: the transfer waits for the same reason as its whole queue.
        guard let waiting = queue.waitingTransfers.delay(of: record.id) else {
            transfer.times.nextAttempt = reason == .server ? holdEnd(queue.sessions.key(record).origin) : nil
            return transfer
        }
        transfer.own.isActive = WaitReason.ofActive.contains(waiting.reason)
        if let error = waiting.error {
            transfer.error = error
            transfer.times.nextAttempt = clock.wall.addingTimeInterval(waiting.rest(at: clock.now))
        }
        return transfer
    }

    /// Returns a waiting transfer's own reason, or `nil` if it waits for the same reason as its whole queue.
    private func ownReason(_ record: TransferRecord) -> WaitReason? {
        if life.isEnding { return .shutdown }
        // The record was read before its last attempt ended and contains no retry: show it as it was then.
        guard let waiting = queue.waitingTransfers.delay(of: record.id) else { return nil }
        let isKnown = record.retry != nil || waiting.error != nil
        return isKnown || waiting.reason == .beginDate || waiting.reason == .relaunch ? waiting.reason : nil
    }

    /// Returns why no transfer of this queue gets a slot.
    private func obstacle(to record: TransferRecord) -> WaitReason {
        let key = queue.sessions.key(record)
        if let obstacle = queue.conditions.obstacle(key) { return obstacle }
        refreshNames()
        return queue.limits.obstacle(key) ?? .slot
    }

    /// Returns when a throttled origin accepts requests again, by the wall clock.
    private func holdEnd(_ origin: String) -> Date? {
        queue.waitingTransfers.holdEnd(origin).map { clock.wall.addingTimeInterval(($0 - clock.now) / .seconds(1)) }
    }
}
