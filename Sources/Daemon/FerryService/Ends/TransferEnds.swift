import FerryCore
import FerryEngine
import FerryQueue
import FerryRules
import Foundation
import Logging

/// Stores the outcomes of transfers with their events, and notifies all listeners.
actor TransferEnds {
    private let queue: LiveQueue
    private let journal: any Journal
    private let hub: EventHub
    private let records: StartingRecords
    private let memories: SessionMemories
    private let upkeep: Upkeep
    private let configuration: ServiceConfiguration
    private var calls = GroupedCalls<TransferEnd, Bool>()
    // SAFETY: The actor keeps alive what owns the executor.
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.unownedExecutor }

    init(
        _ queue: LiveQueue, journal: any Journal, hub: EventHub, records: StartingRecords, memories: SessionMemories,
        upkeep: Upkeep, _ configuration: ServiceConfiguration
    ) {
        self.queue = queue
        self.journal = journal
        self.hub = hub
        self.records = records
        self.memories = memories
        self.upkeep = upkeep
        self.configuration = configuration
    }

    /// Whether outcomes are being stored, and no other call waits for the next group.
    var storesLastGroup: Bool { calls.isPerforming && calls.waiting.isEmpty }

    /// Records an outcome with its event, and notifies all listeners.
    ///
    /// - Parameter record: The record on which the outcome was decided.
    /// - Returns: False, with nothing recorded, if the transfer has changed since it was read or was removed.
    func finish(_ record: TransferRecord, _ outcome: Outcome) async throws(ServiceError) -> Bool {
        let end = TransferEnd(record, outcome, at: queue.clock.wall)
        let engine = queue.engine
        do throws(ServiceError) {
            if let copy = end.unneeded.copy { try await engine.files.removeCopy(copy, of: record.id) }
            if let partial = end.unneeded.partial { try await engine.files.removePartialFile(partial) }
        } catch {
            // The outcome does not depend on it. The file stays until its user removes it.
            configuration.logger.warning(
                "A partial file cannot be removed.", metadata: ["error": "\(error)", "transfer": "\(record.id)"])
        }
        guard try await store(end) else { return false }
        if outcome == .canceled, record.facts.released == nil, let upload = record.facts.sending.upload {
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
        _ decide: @Sendable (TransferRecord) -> (record: TransferRecord, outcome: Outcome)?
    ) async throws(ServiceError) -> TransferRecord? {
        var found: TransferRecord? = record
        while let current = found {
            guard let end = decide(current) else { return current }
            if try await finish(end.record, end.outcome) { return nil }
            found = try await journal.records(of: [record.id]).first
        }
        return nil
    }

    // MARK: Storing

    /// Stores an outcome with other pending ones.
    ///
    /// - Returns: False, with nothing stored, if the transfer has changed since the decision or was removed.
    func store(_ end: TransferEnd) async throws(ServiceError) -> Bool {
        let answer = await withCheckedContinuation { continuation in
            guard calls.add(end, continuation) else { return }
            Task(name: "ends of transfers") { await self.storeCalls() }
        }
        return try answer.get()
    }

    private func storeCalls() async {
        while let group = calls.next() {
            let answers = await store(group.map(\.input))
            for (call, answer) in zip(group, answers) { call.continuation.resume(returning: answer) }
        }
    }

    /// Stores outcomes and their events in one transaction, and notifies all listeners.
    ///
    /// - Returns: For each, whether it is stored. False if the transfer has changed since the decision or was removed.
    func store(_ ends: [TransferEnd]) async -> [Result<Bool, ServiceError>] {
        let prepared = await journal.prepare(ends)
        var answers = await storePrepared(prepared.compactMap { try? $0.get() })[...]
        return prepared.map { $0.flatMap { _ in answers.removeFirst() } }
    }

    private func storePrepared(_ ends: [StoredEnd]) async -> [Result<Bool, ServiceError>] {
        do throws(ServiceError) {
            let numbers = try await journal.commit(ofRunning: true) { transaction throws(ServiceError) in
                var numbers: [Int64?] = []
                for end in ends { numbers.append(try transaction.finish(end)) }
                return numbers
            }
            await stored(zip(ends, numbers).compactMap { end, number in number.map { (end.value, $0) } })
            return numbers.map { .success($0 != nil) }
        } catch {
            guard ends.count > 1 else { return [.failure(error)] }
            // No outcome was stored. Store each alone, so that one failure does not affect the others.
            var answers: [Result<Bool, ServiceError>] = []
            for end in ends { answers += await storePrepared([end]) }
            return answers
        }
    }

    /// Performs the consequences of stored outcomes, with the numbers of their events.
    private func stored(_ ends: [(end: TransferEnd, number: Int64)]) async {
        guard !ends.isEmpty else { return }
        configuration.reached(.outcomeCommitted)
        let log = TransferLog(logger: configuration.logger)
        let ended = ends.map(\.end.record)
        for record in ended {
            if let outcome = record.outcome { log.ended(record, outcome) }
        }
        await records.forget(ended.map(\.id))
        await memories.forget(ended.map { ($0.id, $0.request.session) })
        queue.take(.finished(ended.map { (id: $0.id, size: $0.outcome?.size) }))
        await hub.publish(ends.map { TransferEvent(number: $0.number, $0.end) })
        for session in Set(ended.map(\.request.session)) { queue.take(.app(.news(of: session))) }
        await upkeep.note(outcomes: ends.count)
    }
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
