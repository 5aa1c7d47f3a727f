import FerryCore
import FerryEngine
import FerryQueue
import FerryRules

/// Transfers that have a slot and wait for their records, and the records read ahead. Owned by the service.
struct StartingTransfers {
    var calls = GroupedCalls<TransferID, TransferRecord?>()
    var ahead = RecordsAhead()
}

/// Starting and ending attempts.
extension LocalTransferService {
    /// Starts an attempt for a transfer that has a slot.
    func start(_ id: TransferID, _ key: QueueKey) {
        let limiter = RateLimiter()
        let ofSession = runtime.limiter(of: key.session, queue.sessions.settings(of: key.session))
        let gate = RateGate([limiter, ofSession, runtime.limiter], priority: key.priority)
        let attempt = Attempt(limiter: limiter, gate: gate)
        attempts[id] = attempt
        StartWatch.began(id)
        let name = "attempt at a transfer"
        if running.hasTinyFiles(key.origin), let executor = engine.homeTasks {
            // Each file resumes several continuations. Without this executor they would switch threads twice each.
            attempt.task = Task(name: name, executorPreference: executor) { await self.performAttempt(id) }
        } else {
            attempt.task = Task(name: name) { await self.performAttempt(id) }
        }
    }

    private func performAttempt(_ id: TransferID) async {
        let next = await runAttempt(id)
        // Callers that stop or change the transfer wait for this task until here, so that they do not overwrite its
        // facts.
        attempts[id] = nil
        StartWatch.ended(id)
        await performInOrder(queue.take(.ended(id, next), at: moment))
    }

    // MARK: Records

    /// Number of waiting transfers read together with the starting ones.
    private static let readAhead = 32

    /// Returns the record of a transfer that has a slot. Reads it together with the records of other starting transfers
    /// and of the next waiting ones.
    func startingRecord(_ id: TransferID) async throws(ServiceError) -> TransferRecord? {
        if let record = starting.ahead.take(id, revision: journal.revision) { return record }
        let answer = await withCheckedContinuation { continuation in
            guard starting.calls.add(id, continuation) else { return }
            Task(name: "records of starting transfers") { await self.readStarting() }
        }
        return try answer.get()
    }

    private func readStarting() async {
        while var group = starting.calls.next() {
            let revision = journal.revision
            // They may have been given slots while their records were read ahead.
            group.removeAll { one in
                guard let record = starting.ahead.take(one.input, revision: revision) else { return false }
                one.continuation.resume(returning: .success(record))
                return true
            }
            guard let last = group.last else { continue }
            let next =
                running.key(of: last.input).map { waitingTransfers.waiting(with: $0, limit: Self.readAhead) } ?? []
            let ids = group.map(\.input) + next
            starting.ahead.beginReading(at: revision)
            do throws(ServiceError) {
                let read = try await journal.read { reader throws(ServiceError) in try reader.records(ids) }
                var records = Dictionary(read.map { ($0.id, $0) }) { first, _ in first }
                for one in group {
                    one.continuation.resume(returning: .success(records.removeValue(forKey: one.input)))
                }
                starting.ahead.endReading(records)
            } catch {
                starting.ahead.abandonReading()
                for one in group { one.continuation.resume(returning: .failure(error)) }
            }
        }
    }
}
