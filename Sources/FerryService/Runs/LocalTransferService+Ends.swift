import FerryCore
import FerryEngine
import Foundation

/// Ends of attempts and of transfers.
extension LocalTransferService {
    // MARK: Ends of attempts

    /// Applies the result of an attempt: the outcome, the next attempt, or none.
    ///
    /// - Parameter asked: The request of the attempt.
    func settle(
        _ id: TransferID, _ report: RunReport, asked: TransferRequest
    ) async throws(ServiceError) -> NextAttempt? {
        // A success that no action has overtaken needs no read.
        if let (record, outcome) = queue.success(report, of: id, at: moment), try await finish(record, outcome) {
            return nil
        }
        var report = report
        if case .challenged(let challenge) = report.result, let session = running.record(of: id)?.request.session,
            let memory = runtime.memories[session]
        {
            report.result = .challenged(memory.counting(challenge, of: id))
        }
        let jitter = Queue.Jitter(random: configuration.machine.random(), delayScale: configuration.delayScale)
        // The request and the intent may have changed during the attempt, or while its end is stored.
        while let stored = try await journal.read({ reader throws(ServiceError) in try reader.record(id) }) {
            // A finished transfer keeps its outcome. An unreadable row shows that the transfer has failed.
            guard stored.outcome == nil,
                let verdict = queue.judge(
                    report.concerning(stored.request, asked: asked), of: stored, jitter, at: moment)
            else { return nil }
            perform(verdict.effects)
            switch verdict.action {
            case .finish(let outcome):
                if try await finish(verdict.record, outcome) { return nil }
            case .enqueue(let delay, let reason):
                guard try await store(verdict.record) else { continue }
                if let error = verdict.record.retry?.error {
                    transferLog.failed(verdict.record, error, seconds: delay)
                }
                return NextAttempt(record: verdict.record, delay: delay, reason: reason)
            case .none, .stop, .rest, .forget, .postpone, .refuse:
                if try await store(verdict.record) { return nil }
            }
        }
        return nil
    }

    /// Stores the complete record of a transfer after an attempt.
    ///
    /// - Returns: False, with nothing stored, if the transfer has changed since it was read.
    func store(_ record: TransferRecord) async throws(ServiceError) -> Bool {
        try await journal.commit { transaction throws(ServiceError) in try transaction.update(record) }
    }

    // MARK: Outcomes

    /// Records an outcome with its event in one transaction, and notifies all listeners.
    ///
    /// - Parameter record: The record on which the outcome was decided.
    /// - Returns: False, with nothing recorded, if the transfer has changed since it was read or was removed.
    func finish(_ record: TransferRecord, _ outcome: Outcome) async throws(ServiceError) -> Bool {
        let end = TransferEnd(record, outcome, at: clock.wall)
        if let copy = end.unneeded.copy { try? await engine.removeCopy(copy, of: record.id) }
        if let partial = end.unneeded.partial { try? await engine.removePartialFile(partial) }
        guard let number = try await storeEnd(try journal.prepare(end)) else { return false }
        configuration.reached(.outcomeCommitted)
        transferLog.ended(end.record, outcome)
        if outcome == .canceled, record.facts.released == nil, let upload = record.facts.upload {
            UploadUpkeep(engine).cancel(upload, of: record)
        }
        starting.ahead.forget(record.id)
        take(.finished(record.id, size: outcome.size))
        runtime.memories[record.request.session]?.forget(record.id)
        await hub.publish(
            TransferEvent(
                number: number, kind: end.kind, at: end.at, id: record.id, session: record.request.session,
                transfer: end.snapshot))
        await noteNews(of: record.request.session)
        await noteOutcome()
        return true
    }

    /// Records the outcome that a decision gives a transfer. Decides again if the transfer has changed since it was read.
    ///
    /// - Parameter decide: Returns the record and the outcome to store. `nil` stores nothing.
    /// - Returns: The record for which nothing was stored. `nil` if the outcome is stored or the transfer is gone.
    func finish(
        _ record: TransferRecord,
        _ decide: (TransferRecord) async throws(ServiceError) -> (record: TransferRecord, outcome: Outcome)?
    ) async throws(ServiceError) -> TransferRecord? {
        var found: TransferRecord? = record
        while let current = found {
            guard let end = try await decide(current) else { return current }
            if try await finish(end.record, end.outcome) { return nil }
            found = try await records(of: [record.id]).first
        }
        return nil
    }

    /// Stores an outcome and its event, in one transaction with other pending outcomes.
    ///
    /// - Returns: The result of `JournalTransaction.finish(_:)`.
    func storeEnd(_ end: StoredEnd) async throws(ServiceError) -> Int64? {
        let answer = await withCheckedContinuation { continuation in
            guard ending.add(end, continuation) else { return }
            Task(name: "ends of transfers") { await self.storeEnds() }
        }
        return try answer.get()
    }

    private func storeEnds() async {
        while let group = ending.next() {
            do throws(ServiceError) {
                let numbers = try await store(group.map(\.input))
                for (call, number) in zip(group, numbers) { call.continuation.resume(returning: .success(number)) }
            } catch {
                // No outcome was stored. Store each alone, so that one failure does not affect the others.
                for call in group {
                    call.continuation.resume(
                        returning: group.count > 1 ? await storeAlone(call.input) : .failure(error))
                }
            }
        }
    }

    private func storeAlone(_ end: StoredEnd) async -> Result<Int64?, ServiceError> {
        do throws(ServiceError) { return .success(try await store([end])[0]) } catch { return .failure(error) }
    }

    /// Returns one result for each outcome.
    private func store(_ ends: [StoredEnd]) async throws(ServiceError) -> [Int64?] {
        try await journal.commit(ofRunning: true) { transaction throws(ServiceError) in
            var numbers: [Int64?] = []
            for end in ends { numbers.append(try transaction.finish(end)) }
            return numbers
        }
    }
}

extension Outcome {
    /// The size of the file, or `nil` if there is none.
    fileprivate var size: Int64? {
        guard case .succeeded(let success) = self else { return nil }
        return success.size
    }
}
