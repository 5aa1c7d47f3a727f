package import FerryCore
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
    private(set) var job: TransferJob
    nonisolated let engine: Engine
    let journal: any FactsJournal
    /// State shared by its conversations.
    let shared: Correspondence
    /// The durable facts, and in between the ones about to become durable.
    @Boxed var facts: TransferFacts
    var partial: PartialFile?
    /// Options that may change during the attempt.
    var options: RunOptions
    var connections = AttemptConnections()
    var sources: AttemptSources
    var writes = AttemptWrites()
    /// The workers, while several share the file.
    var workers: SegmentWorkers?
    /// Connections for future workers.
    let early: EarlyConnections
    /// Bytes received by this attempt, and how many of them were new, as of the last commit.
    var cost = AttemptCost()
    var ending = AttemptEnding()

    // SAFETY: The actor keeps alive what owns the executor.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe engine.home.unownedExecutor }

    /// - Parameter received: The response to the first request, if a short attempt has received it.
    init(_ job: TransferJob, engine: Engine, journal: any FactsJournal, received: ReceivedResponse? = nil) {
        self.job = job
        self.engine = engine
        self.journal = journal
        let sources = AttemptSources(job.request)
        self.sources = sources
        shared = Correspondence(
            Result { () throws(ServiceError) in
                ConversationTerms(job, home: try sources.original.get().origin, engine.configuration)
            }, job.advisor.map(ClientQuestions.init))
        early = EarlyConnections(engine, job.progress)
        _facts = job.$facts
        options = RunOptions(job.request)
        cost.frontier = job.facts.frontier
        connections.received = received
        job.progress.spent.store(job.facts.bytesSpent, ordering: .relaxed)
    }

    package func run() async -> RunReport {
        engine.loops.runs.begin()
        defer { engine.loops.runs.end() }
        // The attempt does not run while the machine sleeps.
        let began = SuspendingClock.now
        let place = await engine.places.place(of: job.request)
        connections.settle(at: place, loop: engine.takeLoop(for: place))
        early.settle(at: place)
        connections.count(at: try? sources.original.get().origin, engine.budget)
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
        if case .succeeded = result {} else { await comeToRest() }
        partial = nil
        noteExchanges()
        noteCost()
        cost.seconds = began.duration(to: .now) / .seconds(1)
        return RunReport(
            result: result, refusedBy: ending.later?.origin, facts: $facts, cost: cost, digest: writes.digest.value)
    }

    private func end(_ error: ServiceError) -> TransferMachine.AttemptEnd {
        let isOfPlace = error.code == .destinationUnwritable || error.code == .placementFailed
        let result = ending.result(of: error, isFinal: isOfPlace && job.request.file.partialFolder != nil)
        if case .challenged = result { (facts.bodySent, facts.requestMayHaveArrived) = (nil, false) }
        return result
    }

    package func follow(_ request: TransferRequest) { options = RunOptions(request) }

    package func stop(with error: ServiceError?) {
        ending.stop(with: error)
        shared.questions?.giveUp()
        shared.pauses.end()
        stopExchanges()
    }

    // MARK: The loop

    private func perform() async throws(ServiceError) -> Outcome.Success {
        if let success = try await recover() { return success }
        try await checkFolders()
        job.existing = try await currentFile()
        var best: SourceFailure?
        while true {
            do throws(ServiceError) {
                return try await fetch(after: best?.error)
            } catch {
                let failure = Self.moreHopeful(best, SourceFailure(error: error, later: ending.later))
                best = failure
                guard mayAskAnother(after: error), sources.advance() else {
                    ending.later = failure.later
                    throw failure.error
                }
                ending.later = nil
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
            try checkStopping()
            guard let plan = PlannedRequest(requestSituation(variant)) else { return try await finish() }
            noteCost()
            guard limits.takesRequest(gained: cost.gained) else { throw endless("too many responses bring too little") }
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
            if verdict.countsAsRestart, variant.restart?.isOtherVersion != true { facts.restarts += 1 }
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
                if rangesOff { facts.rangesOff = true }
                facts.bypassesCaches = rangesOff
            case .askOnceMoreFresh:
                await answer.exchange.close()
                variant.isFresh = true
                facts.bypassesCaches = true
            case .askUnconditionalRange:
                await answer.exchange.close()
                variant.isUnconditional = true
            case .alreadyComplete(let length):
                await answer.exchange.discard()
                facts.identity?.completeLength = length
                return try await finish()
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

    /// Drops a URL for this attempt, and records why.
    func dropSource(_ number: Int, _ reason: String) {
        guard let note = sources.drop(number, reason), !facts.notes.contains(note) else { return }
        facts.notes.append(note)
    }

    /// Returns whether another URL may succeed after this error.
    private func mayAskAnother(after error: ServiceError) -> Bool {
        !ending.isStopping && !ending.isUnrepeatable && writes.fault == nil && ending.challenge == nil && job.raw == nil
            && error.code.row.subject.allowsMirrors
    }

    /// Returns the reason to reject a mirror's response, and drops the mirror.
    private func objection(to answer: Answer, before error: ServiceError?) -> ServiceError? {
        let objection = sources.objection(
            to: answer, known: facts.identity?.completeLength ?? job.request.response.expectedSize,
            hasBytes: !facts.ranges.isEmpty, before: error)
        guard let objection else { return nil }
        dropSource(sources.current, objection.reason)
        return objection.error
    }

    /// Returns the error of a response, with the beginning of its body and the server's `Retry-After` request.
    private func failure(_ error: ServiceError, _ answer: Answer) async -> ServiceError {
        var error = error
        ending.later = RetryAfterResponse(answer.head)
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
        guard let existing = job.existing else { throw ServiceError(.internal, "An unchanged file has no name.") }
        return Outcome.Success(
            path: existing.placement.path, size: existing.placement.size, verified: [], unchanged: true)
    }

    private func currentFile() async throws(ServiceError) -> ExistingFile? {
        guard let existing = job.existing else { return nil }
        let path = existing.placement.path
        let inspected = await disk.result { system throws(DiskError) in
            try system.identity(of: path.lastPathPart, in: system.openFolder(path.folderPart))
        }
        guard case .success(let found?) = inspected, found.inode == existing.placement.inode,
            found.device == existing.placement.device, found.size == existing.placement.size,
            // A change in place keeps the size.
            existing.placement.modified.map({ $0 == found.modified }) ?? true
        else { return nil }
        return existing
    }

    func checkStopping() throws(ServiceError) {
        if ending.isStopping { throw ExchangeEnd.stopped }
    }

    /// Records the current facts.
    func record() async throws(ServiceError) {
        noteCost()
        guard try await journal.record(facts, of: job.id, isolation: self) else {
            throw ServiceError(
                .destinationExists, "Another transfer has taken \(facts.destination ?? "the destination").")
        }
    }

    /// The place of the transfer's files.
    var place: DiskLane.Place { connections.place }

    /// The queue for its file calls.
    var disk: DiskQueue { engine.disk.at(place) }

    func onDisk<Value: Sendable>(
        _ body: @escaping @Sendable (any DiskSystem) throws(DiskError) -> Value
    ) async throws(ServiceError) -> Value {
        do throws(DiskError) {
            return try await disk.run(body)
        } catch {
            throw error.transferError
        }
    }

    func reached(_ step: LifecycleStep) { engine.configuration.reached(step) }

    /// Digests that the complete file must have: the caller's and the server's.
    var expectedDigests: [Checksum] { options.expectedDigests(with: facts) }
}
