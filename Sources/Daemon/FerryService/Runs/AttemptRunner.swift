import FerryCore
import FerryEngine
import FerryQueue
import FerryRules
import Foundation
import Logging
import Synchronization

/// Runs attempts, each from its slot to the consequences of its report.
actor AttemptRunner {
    private let queue: LiveQueue
    private let journal: any Journal
    private let records: StartingRecords
    private let ends: TransferEnds
    private let advisors: SessionMemories
    private let events: LiveEvents
    private let configuration: ServiceConfiguration
    // SAFETY: The actor keeps alive what owns the executor.
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.unownedExecutor }

    init(
        _ queue: LiveQueue, journal: any Journal, records: StartingRecords, ends: TransferEnds,
        advisors: SessionMemories, events: LiveEvents, _ configuration: ServiceConfiguration
    ) {
        self.queue = queue
        self.journal = journal
        self.records = records
        self.ends = ends
        self.advisors = advisors
        self.events = events
        self.configuration = configuration
    }

    private var log: TransferLog { TransferLog(logger: configuration.logger) }

    /// Runs one attempt at a transfer that has a slot, or stores the outcome of one that only ends.
    ///
    /// - Returns: The next attempt, if there is to be one.
    func run(_ id: TransferID) async -> NextAttempt? {
        var found: TransferRecord?
        do throws(ServiceError) {
            found = try await records.record(id)
            while let record = found {
                switch queue.start(of: record) {
                case .run: return try await run(record)
                case .again(let next): return next
                case .none: return nil
                case .finish(let outcome):
                    let isEnded = try await ends.finish(record, outcome)
                    if isEnded || record.outcome != nil { return nil }
                    // The transfer has changed since it was read.
                    found = try await journal.records(of: [id]).first
                }
            }
            return nil
        } catch {
            configuration.logger.error(
                "an attempt could not be recorded", metadata: ["transfer": "\(id)", "error": "\(error)"])
            // The journal is full: the attempt is repeated and continues from the bytes on disk.
            let known = found?.isEligible == true ? found : nil
            return (queue.running.record(of: id) ?? known).map { record in
                NextAttempt(
                    record: record, delay: configuration.journalRetryDelay,
                    reason: error.code.row.subject.waitReason, error: error)
            }
        }
    }

    /// Runs one attempt, and returns the next one.
    private func run(_ stored: TransferRecord) async throws(ServiceError) -> NextAttempt? {
        var record = stored
        let id = record.id
        guard let attempt = queue.attempt(at: id), queue.running.contains(id) else { return nil }
        guard try await forgetChallenge(of: record) else {
            return NextAttempt(record: record, delay: 0, reason: .retry)
        }
        record.attempts += 1
        record.retry = nil
        record.facts.challenge = nil
        record.facts.startedAt = record.facts.startedAt ?? queue.clock.wall
        if record.request.direction == .upload { attempt.uploads(through: queue.uploadLimiter) }
        guard let job = try await job(record, attempt) else { return nil }
        // An action that stopped it meanwhile waits for this task. Nothing was started.
        guard !queue.running.isStopping(id) else { return nil }
        attempt.limiter.rate = record.request.transport.rateLimit
        attempt.progress.received.store(record.facts.ranges.byteCount, ordering: .relaxed)
        attempt.progress.expected.store(record.facts.identity?.completeLength ?? -1, ordering: .relaxed)
        let run = queue.engine.makeRun(job, journal: JournalFacts(journal: journal, queue: queue))
        attempt.run = run
        log.began(record)
        await queue.takeInOrder(.began(id, record))
        await events.publishLive(.running, record)
        await events.startSampling()
        let report = await run.run()
        if let places = report.places, let origin = queue.running.key(of: id)?.origin,
            places != queue.running.places(of: origin)
        {
            queue.take(.places(origin, places))
        }
        return try await settle(id, report, asked: record.request)
    }

    /// Returns the job of an attempt. `nil` if the transfer has lost its slot.
    private func job(_ record: TransferRecord, _ attempt: Attempt) async throws(ServiceError) -> TransferJob? {
        guard let key = queue.running.key(of: record.id) else { return nil }
        var job = TransferJob(record, gate: attempt.gate, progress: attempt.progress)
        let sessions = queue.sessions
        if let timeout = sessions.settings(of: key.session).idleTimeout { job.request.timing.idleTimeout = timeout }
        // A transfer queued by an earlier process may have had attempts there. That process recorded only how
        // attempts ended.
        job.mayHaveLeftovers = record.attempts > 1 || record.id <= queue.ids.lastOfOthers
        job.digest = queue.running.digest(of: record.id)
        job.reserve = sessions.settings.reserve
        job.offersHTTP2 = queue.offersHTTP2(record, key)
        job.expectsShortResponse = queue.running.hasTinyFiles(key.origin)
        job.existing = try await existingFile(record.request)
        job.advisor = try await advisors.advisor(for: record)
        return job
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
        return try await journal.store(answered)
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

    // MARK: Reports

    /// Applies the result of an attempt: the outcome, the next attempt, or none.
    ///
    /// - Parameter asked: The request of the attempt.
    private func settle(
        _ id: TransferID, _ report: RunReport, asked: TransferRequest
    ) async throws(ServiceError) -> NextAttempt? {
        // A success that no action has overtaken needs no read.
        if let (record, outcome) = queue.success(report, of: id), try await ends.finish(record, outcome) { return nil }
        var report = report
        if case .challenged(let challenge) = report.result, let session = queue.running.record(of: id)?.request.session
        {
            report.result = .challenged(await advisors.counting(challenge, of: id, in: session))
        }
        // The request and the intent may have changed during the attempt, or while its end is stored.
        while let stored = try await journal.read({ reader throws(ServiceError) in try reader.record(id) }) {
            // A finished transfer keeps its outcome. An unreadable row shows that the transfer has failed.
            guard stored.outcome == nil,
                let verdict = queue.judge(report.concerning(stored.request, asked: asked), of: stored)
            else { return nil }
            switch verdict.action {
            case .finish(let outcome):
                if try await ends.finish(verdict.record, outcome) { return nil }
            case .enqueue(let delay, let reason):
                guard try await journal.store(verdict.record) else { continue }
                if let error = verdict.record.retry?.error { log.failed(verdict.record, error, seconds: delay) }
                return NextAttempt(record: verdict.record, delay: delay, reason: reason)
            case .none, .stop, .rest, .forget, .postpone, .refuse:
                if try await journal.store(verdict.record) { return nil }
            }
        }
        return nil
    }
}
