import FerryCore
import FerryEngine
import FerryQueue
import FerryRules

/// Reads the records of transfers that have got slots, together with those of the next waiting ones.
actor StartingRecords {
    private let queue: LiveQueue
    private let journal: any Journal
    private var calls = GroupedCalls<TransferID, TransferRecord?>()
    private var ahead = RecordsAhead()
    // SAFETY: The actor keeps alive what owns the executor.
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.unownedExecutor }

    /// Number of waiting transfers read together with the starting ones.
    private static let readAhead = 32

    init(_ queue: LiveQueue, journal: any Journal) {
        self.queue = queue
        self.journal = journal
    }

    /// Returns the record of a transfer that has a slot.
    func record(_ id: TransferID) async throws(ServiceError) -> TransferRecord? {
        if let record = ahead.take(id, revision: journal.revision) { return record }
        let answer = await withCheckedContinuation { continuation in
            guard calls.add(id, continuation) else { return }
            Task(name: "records of starting transfers") { await self.read() }
        }
        return try answer.get()
    }

    /// Discards the records of transfers that have ended or are removed.
    func forget(_ ids: [TransferID]) {
        for id in ids { ahead.forget(id) }
    }

    private func read() async {
        while var group = calls.next() {
            let revision = journal.revision
            // They may have been given slots while their records were read ahead.
            group.removeAll { one in
                guard let record = ahead.take(one.input, revision: revision) else { return false }
                one.continuation.resume(returning: .success(record))
                return true
            }
            guard let last = group.last else { continue }
            let ids = group.map(\.input) + queue.waiting(behind: last.input, limit: Self.readAhead)
            ahead.beginReading(at: revision)
            do throws(ServiceError) {
                let read = try await journal.read { reader throws(ServiceError) in try reader.records(ids) }
                var records = Dictionary(read.map { ($0.id, $0) }) { first, _ in first }
                for one in group {
                    one.continuation.resume(returning: .success(records.removeValue(forKey: one.input)))
                }
                ahead.endReading(records)
            } catch {
                ahead.abandonReading()
                for one in group { one.continuation.resume(returning: .failure(error)) }
            }
        }
    }
}
