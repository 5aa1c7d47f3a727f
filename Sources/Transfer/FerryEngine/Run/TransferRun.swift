package import FerryCore
import FerryDisk
package import FerryRules
import Foundation
import Logging
import NIOCore
import Synchronization

/// Runs one attempt at a transfer: sends requests, follows redirects, resumes or restarts, and places the file.
///
/// `ResumeTable` judges every head, and the service decides from the report what follows the attempt. Facts are
/// recorded only after the bytes they describe are durable.
package actor TransferRun: AttemptRun {
    let job: TransferJob
    nonisolated let engine: Engine
    let journal: any FactsJournal
    /// State shared by its conversations.
    let shared: Correspondence
    /// State shared by its parts.
    let attempt: AttemptState
    let file: AttemptFile
    let placement: FilePlacement
    private let recovery: FileRecovery
    var connections = AttemptConnections()
    /// The workers, while several share the file.
    var workers: SegmentWorkers?
    /// Connections for future workers.
    let early: EarlyConnections

    // SAFETY: The actor keeps alive what owns the executor.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe engine.home.unownedExecutor }

    /// - Parameter received: The response to the first request, if a short attempt has received it.
    init(_ job: TransferJob, engine: Engine, journal: any FactsJournal, received: ReceivedResponse? = nil) {
        self.job = job
        self.engine = engine
        self.journal = journal
        let attempt = AttemptState(job, engine: engine, journal: journal)
        let file = AttemptFile(attempt)
        let verification = FileVerification(attempt, file: file)
        let placement = FilePlacement(attempt, file: file, verification: verification)
        let original = attempt.sources.original
        shared = Correspondence(
            Result { () throws(ServiceError) in
                ConversationTerms(job, home: try original.get().origin, engine.configuration)
            }, job.advisor.map(ClientQuestions.init))
        early = EarlyConnections(engine, job.progress)
        recovery = FileRecovery(attempt, file: file, verification: verification, placement: placement)
        self.attempt = attempt
        self.file = file
        self.placement = placement
        connections.received = received
        job.progress.spent.store(job.facts.bytesSpent, ordering: .relaxed)
    }

    package func run() async -> RunReport {
        engine.loops.runs.begin()
        defer { engine.loops.runs.end() }
        // The attempt does not run while the machine sleeps.
        let began = SuspendingClock.now
        let place = await engine.places.place(of: job.request)
        attempt.place = place
        connections.loop = engine.takeLoop(for: place)
        early.settle(at: place)
        connections.count(at: try? attempt.sources.original.get().origin, engine.budget)
        defer { connections.count(at: nil, engine.budget) }
        var result: TransferMachine.AttemptEnd
        do throws(ServiceError) {
            result = .succeeded(try await perform())
        } catch {
            result = end(error)
        }
        stopExchanges()
        dropEarlyConnections()
        early.shut()
        if case .succeeded = result {} else { await recovery.comeToRest() }
        attempt.partial = nil
        if case .failed = result { attempt.noteRestart() }
        noteExchanges()
        attempt.noteCost()
        attempt.cost.seconds = began.duration(to: .now) / .seconds(1)
        return RunReport(
            result: result, refusedBy: attempt.ending.later?.origin, facts: attempt.$facts, cost: attempt.cost,
            digest: attempt.writes.digest.value)
    }

    private func end(_ error: ServiceError) -> TransferMachine.AttemptEnd {
        let isOfPlace =
            (error.code == .destinationUnwritable && error.errorClass == .final) || error.code == .placementFailed
        let result = attempt.ending.result(of: error, isFinal: isOfPlace && job.request.file.partialFolder != nil)
        if case .challenged = result {
            (attempt.facts.sending.sent, attempt.facts.sending.mayHaveArrived) = (nil, false)
        }
        return result
    }

    package func follow(_ request: TransferRequest) { attempt.options = RunOptions(request) }

    package func stop(with error: ServiceError?) {
        attempt.ending.stop(with: error)
        shared.questions?.giveUp()
        shared.pauses.end()
        stopExchanges()
    }

    // MARK: The loop

    private func perform() async throws(ServiceError) -> Outcome.Success {
        if let success = try await recovery.recover() { return success }
        try await file.checkFolders()
        attempt.existing = try await currentFile()
        var best: SourceFailure?
        while true {
            do throws(ServiceError) {
                return try await fetch(after: best?.error)
            } catch {
                let failure = Self.moreHopeful(best, SourceFailure(error: error, later: attempt.ending.later))
                best = failure
                guard mayAskAnother(after: error), attempt.sources.advance() else {
                    attempt.ending.later = failure.later
                    throw failure.error
                }
                attempt.ending.later = nil
            }
        }
    }

    /// The error of one URL, and the server's `Retry-After` request.
    private struct SourceFailure {
        let error: ServiceError
        let later: RetryAfterResponse?
    }

    private static func moreHopeful(_ first: SourceFailure?, _ second: SourceFailure) -> SourceFailure {
        guard let first, first.error.errorClass != .final || second.error.errorClass == .final else { return second }
        return first
    }

    /// Fetches from one URL.
    ///
    /// - Parameter error: The error of the previous URL.
    private func fetch(after error: ServiceError?) async throws(ServiceError) -> Outcome.Success {
        var variant = RequestVariant()
        var limits = AttemptLimits()
        while true {
            try attempt.checkStopping()
            guard let plan = PlannedRequest(requestSituation(variant)) else { return try await placement.finish() }
            attempt.noteCost()
            guard limits.takesRequest(gained: attempt.cost.gained) else {
                throw endless("too many responses bring too little")
            }
            let answer = try await ask(plan, variant)
            if let objection = objection(to: answer, before: error) {
                await answer.exchange.close()
                throw objection
            }
            let verdict = answer.verdict
            engine.configuration.logger.debug(
                "response",
                metadata: [
                    "transfer": "\(job.id)", "status": "\(answer.head.status)",
                    "rule": "transfers.md#row-\(verdict.row)",
                ])
            if case .start = verdict.decision, !limits.takesStart() {
                await answer.exchange.close()
                throw endless("its responses keep restarting the file")
            }
            if verdict.countsAsRestart, variant.restart?.isOtherVersion != true { attempt.facts.restarts += 1 }
            switch verdict.decision {
            case .start(let body):
                if let success = try await start(body, answer, variant) { return success }
                variant = RequestVariant()
            case .continueAt(let offset, let until, let identity):
                try await proceed(at: offset, until: until, identity: identity, answer)
                variant = RequestVariant()
            case .restart(let reason, let rangesOff):
                await answer.exchange.close()
                variant = RequestVariant(restart: reason)
                if rangesOff { attempt.facts.rangesOff = true }
                attempt.facts.bypassesCaches = rangesOff
            case .askOnceMoreFresh:
                await answer.exchange.close()
                variant.isFresh = true
                attempt.facts.bypassesCaches = true
            case .askUnconditionalRange:
                await answer.exchange.close()
                variant.isUnconditional = true
            case .alreadyComplete(let length):
                await answer.exchange.discard()
                attempt.facts.identity?.completeLength = length
                return try await placement.finish()
            case .unchanged:
                await answer.exchange.discard()
                return try unchanged()
            case .retryLater(let error), .fail(let error):
                throw await failure(error, answer)
            case .waitForNetwork:
                await answer.exchange.close()
                throw ServiceError(.offline, "The network requires a login first (captive portal).")
            case .follow, .leave, .hostLimit, .askOriginalURL:
                await answer.exchange.close()
                throw ServiceError(.internal, "A response was judged without its request.")
            }
        }
    }

    /// Returns whether another URL may succeed after this error.
    private func mayAskAnother(after error: ServiceError) -> Bool {
        !attempt.ending.isStopping && !attempt.ending.isUnrepeatable && attempt.writes.fault == nil
            && attempt.ending.challenge == nil && job.raw == nil
            && error.code.row.subject.allowsMirrors
    }

    /// Returns the reason to reject a mirror's response, and drops the mirror.
    private func objection(to answer: Answer, before error: ServiceError?) -> ServiceError? {
        let objection = attempt.sources.objection(
            to: answer, known: attempt.facts.identity?.completeLength ?? job.request.response.expectedSize,
            hasBytes: !attempt.facts.ranges.isEmpty, before: error)
        guard let objection else { return nil }
        attempt.dropSource(attempt.sources.current, objection.reason)
        return objection.error
    }

    /// Returns the error of a response, with the beginning of its body and the server's `Retry-After` request.
    private func failure(_ error: ServiceError, _ answer: Answer) async -> ServiceError {
        var error = error
        attempt.ending.later = RetryAfterResponse(answer.head)
        noteRefusal(answer.head, answer.url)
        if let proxy = answer.exchange.key.proxy, !proxy.tunnels(to: answer.url) {
            // The proxy's own errors look like the origin's.
            let sentence = "\(error.message) It was requested through the proxy \(proxy.shown)."
            error = ServiceError(error.code, sentence, details: error.details, as: error.classOverride)
        }
        if error.details.httpStatus != nil, error.details.body == nil {
            let text = await answer.exchange.text()
            if !text.isEmpty { error.details.body = text }
        } else {
            await answer.exchange.close()
        }
        return error
    }

    private func unchanged() throws(ServiceError) -> Outcome.Success {
        guard let existing = attempt.existing else { throw ServiceError(.internal, "An unchanged file has no name.") }
        return Outcome.Success(
            path: existing.placement.path, size: existing.placement.size, verified: [], unchanged: true)
    }

    private func currentFile() async throws(ServiceError) -> ExistingFile? {
        guard let existing = attempt.existing else { return nil }
        let placement = existing.placement
        let inspected = await attempt.disk.result { system throws(DiskError) in
            try PlacedFile.find(placement, in: system.openFolder(placement.path.folderPart), disk: system)
        }
        guard case .success(true) = inspected else { return nil }
        return existing
    }
}
