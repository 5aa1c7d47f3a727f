import FerryCore
import FerryEngine
import FerryQueue
import FerryRules
import Foundation

/// Questions of the other parts of the service. None changes the queue.
extension LiveQueue {
    /// Calls a closure with the queue, without copying it.
    nonisolated func read<Value: Sendable>(_ body: @Sendable (borrowing Queue) -> Value) -> Value {
        assumeIsolated { body($0.queue) }
    }

    /// Transfers without a slot.
    nonisolated var waitingTransfers: WaitingTransfers { read(\.waitingTransfers) }

    /// Transfers with a slot.
    nonisolated var running: Running { read(\.running) }

    /// Transfers that do not start before an operation on them has ended.
    nonisolated var held: HeldTransfers { read(\.held) }

    nonisolated var sessions: Sessions { read(\.sessions) }
    nonisolated var conditions: KnownConditions { read(\.conditions) }
    nonisolated var ids: IDSource { read(\.ids) }
    nonisolated var crowded: Set<QueueKey> { read(\.crowded) }
    nonisolated var apps: AppRegistry { read(\.apps) }

    /// Returns the transfers that are next in the queue of one that has a slot.
    nonisolated func waiting(behind id: TransferID, limit: Int) -> [TransferID] {
        read { queue in
            queue.running.key(of: id).map { queue.waitingTransfers.waiting(with: $0, limit: limit) } ?? []
        }
    }

    /// Returns the running transfers, and the waiting ones that would have started but for a reason of their own.
    nonisolated func active(of session: SessionID?) -> Set<TransferID> {
        read { queue in
            queue.running.withRun(of: session)
                .union(queue.waitingTransfers.delayed(for: WaitReason.ofActive, of: session))
        }
    }

    /// Whether the next request to an origin may negotiate HTTP/2, which pays for many small files.
    nonisolated func offersHTTP2(_ record: TransferRecord, _ key: QueueKey) -> Bool {
        if let size = record.request.response.expectedSize { return size <= 4 << 20 }
        return read { queue in
            queue.running.hasManySmallFiles(key.origin, waiting: queue.waitingTransfers.waiting(for: key.origin))
        }
    }

    /// Decides how the attempt of a transfer begins.
    nonisolated func start(of record: TransferRecord) -> Queue.Start { read { $0.start(of: record, at: moment) } }

    /// Returns the outcome of a successful attempt if its transfer has not changed since the attempt started, else `nil`.
    nonisolated func success(_ report: RunReport, of id: TransferID) -> (TransferRecord, Outcome)? {
        read { $0.success(report, of: id, at: moment) }
    }

    /// Returns what a command for a session's transfers depends on besides the rows.
    nonisolated func situation(of ids: [TransferID], in session: SessionID) -> BulkCommandSituation {
        read { $0.situation(of: ids, in: session, at: moment) }
    }
}
