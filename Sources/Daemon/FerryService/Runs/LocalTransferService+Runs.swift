import FerryCore
import FerryEngine
import FerryQueue
import FerryRules
import Foundation
import Logging
import Synchronization

/// Running one attempt, from its slot to the consequences of its report.
extension LocalTransferService {
    /// Runs one attempt at a transfer that has a slot, or stores the outcome of one that only ends.
    func runAttempt(_ id: TransferID) async -> NextAttempt? {
        var found: TransferRecord?
        do throws(ServiceError) {
            found = try await startingRecord(id)
            while let record = found {
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
            let known = found?.isEligible == true ? found : nil
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
        if let timeout = queue.sessions.settings(of: key.session).idleTimeout {
            job.request.timing.idleTimeout = timeout
        }
        // A transfer queued by an earlier process may have had attempts there. That process recorded only how
        // attempts ended.
        job.mayHaveLeftovers = record.attempts > 1 || id <= queue.ids.lastOfOthers
        job.digest = running.digest(of: id)
        job.reserve = queue.sessions.settings.reserve
        job.offersHTTP2 = offersHTTP2(record, key)
        job.expectsShortResponse = running.hasTinyFiles(key.origin)
        job.existing = try await existingFile(record.request)
        job.advisor = try await advisor(for: record)
        // An action that stopped it meanwhile waits for this task. Nothing was started.
        guard !running.isStopping(id) else { return nil }
        attempt.limiter.rate = record.request.transport.rateLimit
        attempt.progress.received.store(record.facts.ranges.byteCount, ordering: .relaxed)
        attempt.progress.expected.store(record.facts.identity?.completeLength ?? -1, ordering: .relaxed)
        let run = engine.makeRun(job, journal: JournalFacts(journal: journal, service: self))
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
    func take(_ facts: TransferFacts, of id: TransferID) { queue.take(facts, of: id) }

    /// Frees the host connection of a transfer that has all its bytes.
    func leaveHost(_ id: TransferID, inMemory: Bool) { take(.whole(id, inMemory: inMemory)) }

    /// Yields the slot of a transfer that waits for name resolution. If no slot is free afterwards, the transfer is
    /// requeued.
    func nameChanged(of id: TransferID) async {
        guard let attempt = attempts[id] else { return }
        await performInOrder(queue.take(.name(id, isSlow: attempt.waitsForName), at: moment))
    }

    /// Returns the file an earlier transfer placed at this one's destination. Only needed for policy `update`.
    private func existingFile(_ request: TransferRequest) async throws(ServiceError) -> ExistingFile? {
        guard request.file.onConflict == .update, let path = Destination.likelyPath(of: request) else { return nil }
        let placed = try await journal.read { reader throws(ServiceError) in try reader.lastPlaced(at: path) }
        guard let facts = placed?.facts, let placement = facts.placement, let identity = facts.identity else {
            return nil
        }
        return ExistingFile(placement: placement, identity: identity)
    }

    private func offersHTTP2(_ record: TransferRecord, _ key: QueueKey) -> Bool {
        if let size = record.request.response.expectedSize { return size <= 4 << 20 }
        return running.hasManySmallFiles(key.origin, waiting: waitingTransfers.waiting(for: key.origin))
    }
}
