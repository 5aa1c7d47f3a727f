import FerryCore
import FerryEngine
import FerryQueue
import FerryRules
import Foundation
import Logging

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

    /// Records an outcome with its event, and notifies all listeners.
    ///
    /// - Parameter record: The record on which the outcome was decided.
    /// - Returns: False, with nothing recorded, if the transfer has changed since it was read or was removed.
    func finish(_ record: TransferRecord, _ outcome: Outcome) async throws(ServiceError) -> Bool {
        let end = TransferEnd(record, outcome, at: clock.wall)
        do throws(ServiceError) {
            if let copy = end.unneeded.copy { try await engine.removeCopy(copy, of: record.id) }
            if let partial = end.unneeded.partial { try await engine.removePartialFile(partial) }
        } catch {
            // The outcome does not depend on it. The file stays until its user removes it.
            logger.warning(
                "A partial file cannot be removed.", metadata: ["error": "\(error)", "transfer": "\(record.id)"])
        }
        guard try await storeEnd(end) else { return false }
        if outcome == .canceled, record.facts.released == nil, let upload = record.facts.upload {
            UploadUpkeep(engine).cancel(upload, of: record)
        }
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

    /// Stores an outcome with other pending ones.
    ///
    /// - Returns: False, with nothing stored, if the transfer has changed since the decision or was removed.
    func storeEnd(_ end: TransferEnd) async throws(ServiceError) -> Bool {
        let answer = await withCheckedContinuation { continuation in
            guard ending.add(end, continuation) else { return }
            Task(name: "ends of transfers") { await self.storeEnds() }
        }
        return try answer.get()
    }

    private func storeEnds() async {
        while let group = ending.next() {
            let answers = await storeTogether(group.map(\.input))
            for (call, answer) in zip(group, answers) { call.continuation.resume(returning: answer) }
        }
    }

    /// Stores outcomes and their events in one transaction, and notifies all listeners.
    ///
    /// - Returns: The answer to each, as from ``storeEnd(_:)``.
    func storeTogether(_ ends: [TransferEnd]) async -> [Result<Bool, ServiceError>] {
        let prepared = await journal.prepare(ends)
        var answers = await storeTogether(prepared.compactMap { try? $0.get() })[...]
        return prepared.map { $0.flatMap { _ in answers.removeFirst() } }
    }

    private func storeTogether(_ ends: [StoredEnd]) async -> [Result<Bool, ServiceError>] {
        do throws(ServiceError) {
            return try await store(ends).map(Result.success)
        } catch {
            guard ends.count > 1 else { return [.failure(error)] }
            // No outcome was stored. Store each alone, so that one failure does not affect the others.
            var answers: [Result<Bool, ServiceError>] = []
            for end in ends { answers += await storeTogether([end]) }
            return answers
        }
    }

    private func store(_ ends: [StoredEnd]) async throws(ServiceError) -> [Bool] {
        let numbers = try await journal.commit(ofRunning: true) { transaction throws(ServiceError) in
            var numbers: [Int64?] = []
            for end in ends { numbers.append(try transaction.finish(end)) }
            return numbers
        }
        await stored(zip(ends, numbers).compactMap { end, number in number.map { (end.value, $0) } })
        return numbers.map { $0 != nil }
    }

    /// Performs the consequences of stored outcomes, with the numbers of their events.
    private func stored(_ ends: [(end: TransferEnd, number: Int64)]) async {
        guard !ends.isEmpty else { return }
        configuration.reached(.outcomeCommitted)
        for (end, _) in ends {
            let record = end.record
            if let outcome = record.outcome { transferLog.ended(record, outcome) }
            starting.ahead.forget(record.id)
            runtime.memories[record.request.session]?.forget(record.id)
        }
        take(.finished(ends.map { (id: $0.end.record.id, size: $0.end.record.outcome?.size) }))
        await hub.publish(ends.map { TransferEvent(number: $0.number, $0.end) })
        for session in Set(ends.map(\.end.record.request.session)) { take(.app(.news(of: session))) }
        note(outcomes: ends.count)
    }
}

extension Journal {
    /// Prepares outcomes for their transaction.
    ///
    /// Runs on no actor, since the outcomes may be many.
    func prepare(_ ends: [TransferEnd]) async -> [Result<StoredEnd, ServiceError>] {
        ends.map { end in Result { () throws(ServiceError) in try prepare(end) } }
    }
}

extension Result where Success == Bool {
    /// Whether an outcome is stored.
    var isStored: Bool { (try? get()) == true }
}

extension TransferEvent {
    fileprivate init(number: Int64, _ end: TransferEnd) {
        self.init(
            number: number, kind: end.kind, at: end.at, id: end.record.id, session: end.record.request.session,
            transfer: end.snapshot)
    }
}

extension Outcome {
    /// The size of the file, or `nil` if there is none.
    fileprivate var size: Int64? {
        guard case .succeeded(let success) = self else { return nil }
        return success.size
    }
}
