import FerryCore
import FerryEngine
import Foundation
import Logging
import Synchronization

/// Running one attempt, from its slot to the consequences of its report.
extension LocalTransferService {
    /// Runs one attempt at a transfer that has a slot, or stores the outcome of one that only ends.
    func runAttempt(_ id: TransferID) async -> NextAttempt? {
        var known: TransferRecord?
        do throws(ServiceError) {
            var found = try await startingRecord(id)
            while let record = found {
                known = record.isEligible ? record : nil
                switch queue.start(of: record, at: moment) {
                case .run: return try await run(record)
                case .again(let next): return next
                case .none: return nil
                case .finish(let outcome):
                    let isEnded = try await finish(record, outcome)
                    if isEnded || record.outcome != nil { return nil }
                    // The transfer has changed since it was read.
                    found = try await records(of: [id]).first
                }
            }
            return nil
        } catch {
            noteFailure(error)
            logger.error("an attempt could not be recorded", metadata: ["transfer": "\(id)", "error": "\(error)"])
            // The journal is full: the attempt is repeated and continues from the bytes on disk.
            return (running.record(of: id) ?? known).map { record in
                NextAttempt(
                    record: record, delay: journalRetryDelay, reason: error.code.row.subject.waitReason, error: error)
            }
        }
    }

    /// Runs one attempt, and returns the next one.
    private func run(_ stored: TransferRecord) async throws(ServiceError) -> NextAttempt? {
        var record = stored
        let id = record.id
        guard let key = running.key(of: id), let attempt = attempts[id] else { return nil }
        guard try await forgetChallenge(of: record) else {
            return NextAttempt(record: record, delay: 0, reason: .retry)
        }
        record.attempts += 1
        record.retry = nil
        record.facts.challenge = nil
        record.facts.startedAt = record.facts.startedAt ?? clock.wall
        if record.request.direction == .upload { attempt.uploads(through: runtime.uploads) }
        var job = TransferJob(record, gate: attempt.gate, progress: attempt.progress)
        if let timeout = queue.sessions.settings(of: key.session).idleTimeout { job.request.idleTimeout = timeout }
        // A transfer queued by an earlier process may have had attempts there. That process recorded only how
        // attempts ended.
        job.mayHaveLeftovers = record.attempts > 1 || id <= queue.ids.lastOfOthers
        job.digest = queue.takeDigest(of: id)
        job.reserve = queue.sessions.settings.reserve
        job.offersHTTP2 = offersHTTP2(record, key)
        job.existing = try await existingFile(record.request)
        job.advisor = try await advisor(for: record)
        // An action that stopped it meanwhile waits for this task. Nothing was started.
        guard !running.isStopping(id) else {
            queue.keep(job.digest, of: id)
            return nil
        }
        attempt.limiter.rate = record.request.rateLimit
        attempt.progress.received.store(record.facts.ranges.byteCount, ordering: .relaxed)
        attempt.progress.expected.store(record.facts.identity?.completeLength ?? -1, ordering: .relaxed)
        let facts = JournalFacts(journal: journal) { [weak self] in
            await self?.take($0, of: id)
        } whole: { [weak self] in
            await self?.leaveHost(id, inMemory: $0)
        } nameChanged: { [weak self] in
            await self?.nameChanged(of: id)
        }
        let run = engine.makeRun(job, journal: facts)
        attempt.run = run
        transferLog.began(record)
        await performInOrder(queue.take(.began(id, record), at: moment))
        await publishLive(.running, record)
        startSampling()
        let report = await run.run()
        return try await settle(id, report, asked: record.request)
    }

    /// Removes the challenge of a transfer, which an answer given for another one has solved, and the wait for it.
    ///
    /// The first checkpoint would remove the challenge alone, and a start after a crash would wait for an answer to none.
    /// - Returns: False if the transfer has changed since it was read.
    private func forgetChallenge(of record: TransferRecord) async throws(ServiceError) -> Bool {
        guard record.facts.challenge != nil else { return true }
        var answered = record
        answered.facts.challenge = nil
        answered.retry = nil
        return try await store(answered)
    }

    /// Stores the facts a run has recorded, such as the response, for samples.
    private func take(_ facts: TransferFacts, of id: TransferID) { queue.take(facts, of: id) }

    /// Frees the host connection of a transfer that has all its bytes.
    private func leaveHost(_ id: TransferID, inMemory: Bool) { take(.whole(id, inMemory: inMemory)) }

    /// Yields the slot of a transfer that waits for name resolution. If no slot is free afterwards, the transfer is
    /// requeued.
    private func nameChanged(of id: TransferID) async {
        guard let attempt = attempts[id] else { return }
        await performInOrder(queue.take(.name(id, isSlow: attempt.waitsForName), at: moment))
    }

    /// Returns the file an earlier transfer placed at this one's destination. Only needed for policy `update`.
    private func existingFile(_ request: TransferRequest) async throws(ServiceError) -> ExistingFile? {
        guard request.onConflict == .update, let path = Destination.likelyPath(of: request) else { return nil }
        let placed = try await journal.read { reader throws(ServiceError) in try reader.lastPlaced(at: path) }
        guard let facts = placed?.facts, let placement = facts.placement, let identity = facts.identity else {
            return nil
        }
        return ExistingFile(placement: placement, identity: identity)
    }

    /// Applies the result of an attempt: the outcome, the next attempt, or none.
    ///
    /// - Parameter asked: The request of the attempt.
    private func settle(
        _ id: TransferID, _ report: RunReport, asked: TransferRequest
    ) async throws(ServiceError) -> NextAttempt? {
        if try await settleSuccess(id, report) { return nil }
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

    /// Records the success of a transfer that no action changed since its attempt started. Returns false if its record
    /// must be read first.
    private func settleSuccess(_ id: TransferID, _ report: RunReport) async throws(ServiceError) -> Bool {
        guard let (record, outcome) = queue.success(report, of: id, at: moment) else { return false }
        return try await finish(record, outcome)
    }

    /// Stores the complete record of a transfer after an attempt.
    ///
    /// - Returns: False, with nothing stored, if the transfer has changed since it was read.
    func store(_ record: TransferRecord) async throws(ServiceError) -> Bool {
        try await journal.commit { transaction throws(ServiceError) in try transaction.update(record) }
    }

    /// Records an outcome with its event in one transaction, and notifies all listeners.
    ///
    /// - Parameter record: The record on which the outcome was decided.
    /// - Returns: False, with nothing recorded, if the transfer has changed since it was read or was removed.
    func finish(_ record: TransferRecord, _ outcome: Outcome) async throws(ServiceError) -> Bool {
        let now = clock.wall
        var record = record
        record.outcome = outcome
        record.finishedAt = now
        record.retry = nil
        let upload = outcome == .canceled && record.facts.released == nil ? record.facts.upload : nil
        let asked = record
        if outcome.forgetsSecrets { record.forgetSecrets() }
        let leftover = record.facts.partial
        if let copy = record.facts.copy {
            try? await engine.removeCopy(copy, of: record.id)
            record.facts.copy = nil
        }
        if case .failed(let error) = outcome, error.kept(with: record.facts) == .none {
            record.facts.giveUpFile()
        }
        if case .succeeded = outcome { record.facts.partial = nil }
        let ended = record
        let kind: TransferEvent.Kind =
            switch outcome {
            case .succeeded: .succeeded
            case .failed: .failed
            case .canceled: .canceled
            }
        if case .succeeded = outcome {
        } else if record.facts.partial == nil, let leftover {
            try? await engine.removePartialFile(leftover)
        }
        let shown = Transfer(ended, live: .waiting(.slot))
        let end = try journal.prepare(TransferEnd(ended, snapshot: shown))
        guard let number = try await storeEnd(EndingTransfer(end: end, kind: kind, at: now)) else { return false }
        configuration.reached(.outcomeCommitted)
        transferLog.ended(ended, outcome)
        if let upload { UploadUpkeep(engine).cancel(upload, of: asked) }
        starting.ahead.forget(record.id)
        take(.finished(record.id, size: outcome.size))
        runtime.memories[record.request.session]?.forget(record.id)
        await hub.publish(
            TransferEvent(
                number: number, kind: kind, at: now, id: record.id, session: record.request.session, transfer: shown))
        await noteNews(of: record.request.session)
        await noteOutcome()
        return true
    }

    private func offersHTTP2(_ record: TransferRecord, _ key: QueueKey) -> Bool {
        if let size = record.request.expectedSize { return size <= 4 << 20 }
        return running.hasManySmallFiles(key.origin, waiting: waitingTransfers.waiting(for: key.origin))
    }
}

extension Outcome {
    /// The size of the file, or `nil` if there is none.
    fileprivate var size: Int64? {
        guard case .succeeded(let success) = self else { return nil }
        return success.size
    }
}
