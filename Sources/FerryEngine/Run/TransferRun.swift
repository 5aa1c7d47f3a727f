// Ferry: FerryEngine
// One try of one transfer, from what is on disk to the file in its place.

package import FerryCore
import Foundation
import Logging
import NIOCore
import Synchronization

/// One try of one transfer: asks, follows, continues or begins again, and places the file.
///
/// Has no opinions: `ResumeTable` judges every head, and the service decides from the report what comes after the try.
/// Facts are recorded after the bytes that they speak of are durable, never before.
package actor TransferRun {
    let job: TransferJob
    let engine: Engine
    let journal: any FactsJournal
    /// Number of the event loop of its first connection.
    private(set) var loop = 0
    /// Where its bytes go: what blocks there holds up it and others of that place.
    private(set) var place = DiskLane.Place.anywhere
    /// The request's own URL.
    private(set) lazy var originalURL = Result { () throws(TransferError) in try HTTPURL(parsing: job.request.url) }
    /// What its conversations go by.
    private(set) lazy var terms = Result { () throws(TransferError) in
        try ConversationTerms(job, home: originalURL.get().origin, engine.configuration)
    }
    /// What servers have told.
    let memory = AttemptMemory()
    /// Whom to ask while requests are under way.
    let questions: ClientQuestions?
    /// What is durable, and in between what is about to be.
    @Boxed var facts: TransferFacts
    var partial: PartialFile?
    /// What may be wished otherwise while the try is made.
    var wishes: RunWishes
    var exchange: Exchange?
    /// The workers, while several share the file.
    var crew: Crew?
    /// Connections for workers to come.
    let early: EarlyConnections
    /// Which URL is asked: 0 is the request's own, then come its mirrors.
    var source = 0
    /// URLs that are not asked again in this try.
    var failedSources: Set<Int> = []
    /// How the URLs get on.
    var ranks: [Int: SourceRank] = [:]
    /// Mirrors that bytes came from.
    var usedMirrors: Set<Int> = []
    /// What was written and may not be durable.
    var sinks: [BodySink] = []
    /// Whom its connections trust, and what they show; nil until one needs it.
    private var material: RequestMaterial?
    /// Digests of the bytes from the beginning, while they come in order.
    var digest: RunningDigest?
    /// Where the digest runs along at this moment.
    var digestSink: BodySink?
    /// Whether the digest follows what is written, and does not run along.
    var followsDigest = false
    /// Takes the digest of what is written already.
    var digestTask: Task<Void, Never>?
    /// What this attempt has received, and what of it was new, as of the last commit.
    var cost = AttemptCost()
    /// What the server asked for with the failure that ended the try.
    var later: LaterAnswer?
    /// The challenge that the try ends with.
    var pendingChallenge: PendingChallenge?
    /// What is known of each request, for the client's metrics.
    var recorders: [ExchangeRecorder] = []
    /// Whether a request went out whole that must not go out twice.
    var isUnrepeatable = false
    /// A checkpoint that failed; decides over whatever ended the exchange after it.
    var checkpointError: TransferError?
    /// The file at the destination, if it is still the one that was put there.
    private(set) var existing: ExistingFile?
    private var countedAt: Origin?
    private(set) var isStopping = false
    private var stopError: TransferError?

    init(_ job: TransferJob, engine: Engine, journal: any FactsJournal) {
        self.job = job
        self.engine = engine
        self.journal = journal
        questions = job.advisor.map(ClientQuestions.init)
        early = EarlyConnections(engine, job.progress)
        _facts = job.$facts
        wishes = RunWishes(job.request)
        cost.frontier = job.facts.frontier
        job.progress.spent.store(job.facts.bytesSpent, ordering: .relaxed)
    }

    /// Makes the try. Call once.
    package func run() async -> RunReport {
        // While the machine sleeps nothing is tried.
        let began = SuspendingClock.now
        place = await engine.places.place(of: job.request)
        loop = engine.takeLoop(for: place)
        early.settle(at: place)
        countConnection(at: try? originalURL.get().origin)
        defer { countConnection(at: nil) }
        var result: RunReport.Result
        do throws(TransferError) {
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
        return RunReport(result: result, refusedBy: later?.origin, facts: $facts, cost: cost, digest: digest)
    }

    /// Counts the first connection for the host that it leads to, after redirects.
    func countConnection(at origin: Origin?) {
        guard origin != countedAt else { return }
        if let origin { engine.budget.enter(origin) }
        if let countedAt { engine.budget.leave(countedAt) }
        countedAt = origin
    }

    private func end(_ error: TransferError) -> RunReport.Result {
        if let stopError { return .failed(stopError, retryAfter: nil) }
        if isStopping { return .stopped }
        if let pendingChallenge {
            facts.bodySent = nil
            return .challenged(pendingChallenge)
        }
        var error = error
        let isOfPlace = error.code == .destinationUnwritable || error.code == .placementFailed
        if isUnrepeatable || (isOfPlace && job.request.partialFolder != nil) { error.classOverride = .final }
        return .failed(error, retryAfter: later?.value)
    }

    /// Goes by another request's wishes for the whole file, as far as it is not in its place.
    package func follow(_ request: TransferRequest) { wishes = RunWishes(request) }

    /// Stops at the next safe point: what was written becomes durable, then `run` returns.
    package func stop() {
        isStopping = true
        questions?.giveUp()
        stopExchanges()
    }

    /// Ends the try with an error that was decided elsewhere; what was written becomes durable.
    package func stop(with error: TransferError) {
        stopError = error
        stop()
    }

    // MARK: The loop

    private func perform() async throws(TransferError) -> Outcome.Success {
        if let success = try await recover() { return success }
        try await checkFolders()
        try checkRepeatable()
        existing = try await currentFile()
        var best: SourceFailure?
        while true {
            do throws(TransferError) {
                return try await fetch(after: best?.error)
            } catch {
                let failure = Self.moreHopeful(best, SourceFailure(error: error, later: later))
                best = failure
                guard let next = nextSource(after: error) else {
                    later = failure.later
                    throw failure.error
                }
                source = next
                later = nil
            }
        }
    }

    /// Reads the files of the request's trust before the first request that needs them; plain HTTP needs none.
    func prepareTrust(for url: HTTPURL) async throws(TransferError) {
        guard url.isSecure, material == nil else { return }
        material = try await engine.material(of: job.request.trust)
    }

    /// What a connection for a URL trusts and shows.
    ///
    /// - Throws: ``TransferError`` with code `internal` before ``prepareTrust(for:)``: no connection has less trust than it needs.
    func trust(for url: HTTPURL) throws(TransferError) -> TrustMaterial? {
        guard url.isSecure else { return nil }
        guard let material else { throw TransferError(.internal, "The files of the request's trust were not read.") }
        return try url.origin == originalURL.get().origin ? material.home : material.foreign
    }

    /// What one of the URLs failed with, and what its server asked for.
    private struct SourceFailure {
        let error: TransferError
        let later: LaterAnswer?
    }

    private static func moreHopeful(_ first: SourceFailure?, _ second: SourceFailure) -> SourceFailure {
        guard let first, first.error.errorClass != .final || second.error.errorClass == .final else { return second }
        return first
    }

    /// Fetches from one URL.
    ///
    /// - Parameter error: what the URL before this one failed with.
    private func fetch(after error: TransferError?) async throws(TransferError) -> Outcome.Success {
        var turn = Turn()
        var limits = AttemptLimits()
        while true {
            try checkStopping()
            guard let plan = PlannedRequest(requestSituation(turn)) else { return try await finish() }
            noteCost()
            guard limits.takesRequest(gained: cost.gained) else { throw endless("too many answers bring too little") }
            let answer = try await ask(plan, turn)
            if let objection = objection(to: answer, before: error) {
                await answer.exchange.close()
                throw objection
            }
            let verdict = answer.verdict
            engine.configuration.logger.debug(
                "answer",
                metadata: ["transfer": "\(job.id)", "status": "\(answer.head.status)", "row": "\(verdict.row)"])
            if case .start = verdict.decision, !limits.takesStart() {
                await answer.exchange.close()
                throw endless("its answers begin the file again and again")
            }
            if verdict.countsAsRestart, turn.restart?.isOtherVersion != true { facts.restarts += 1 }
            switch verdict.decision {
            case .start(let body):
                if let success = try await start(body, answer, turn) { return success }
                turn = Turn()
            case .continueAt(let offset, let until, let identity):
                try await proceed(at: offset, until: until, identity: identity, answer)
                turn = Turn()
            case .restart(let reason, let rangesOff):
                await answer.exchange.close()
                turn = Turn(restart: reason)
                if rangesOff { facts.rangesOff = true }
                facts.bypassesCaches = rangesOff
            case .askOnceMoreFresh:
                await answer.exchange.close()
                turn.isFresh = true
                facts.bypassesCaches = true
            case .askUnconditionalRange:
                await answer.exchange.close()
                turn.isUnconditional = true
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
                throw TransferError(.offline, "The network wants a login first (captive portal).")
            case .follow, .leave, .hostLimit, .askOriginalURL:
                await answer.exchange.close()
                throw TransferError(.internal, "An answer was judged for a request that was not made.")
            }
        }
    }

    /// The error of an answer, with the beginning of its body and what the server asked for.
    private func failure(_ error: TransferError, _ answer: Answer) async -> TransferError {
        var error = error
        later = LaterAnswer(answer.head)
        noteRefusal(answer.head, answer.url)
        if error.details.httpStatus != nil, error.details.body == nil {
            let text = await answer.exchange.text()
            if !text.isEmpty { error.details.body = text }
        } else {
            await answer.exchange.close()
        }
        return error
    }

    private func unchanged() throws(TransferError) -> Outcome.Success {
        guard let existing else { throw TransferError(.internal, "An unchanged file has no name.") }
        return Outcome.Success(
            path: existing.placement.path, size: existing.placement.size, verified: [], unchanged: true)
    }

    private func currentFile() async throws(TransferError) -> ExistingFile? {
        guard let existing = job.existing else { return nil }
        let path = existing.placement.path
        let looked = await disk.result { system throws(DiskError) in
            try system.identity(of: path.lastPathPart, in: system.openFolder(path.folderPart))
        }
        guard case .success(let found?) = looked, found.inode == existing.placement.inode,
            found.device == existing.placement.device, found.size == existing.placement.size
        else { return nil }
        return existing
    }

    func checkStopping() throws(TransferError) {
        if isStopping { throw ExchangeEnd.stopped }
    }

    /// Records the facts as they are.
    func record() async throws(TransferError) {
        noteCost()
        guard try await journal.record(facts, of: job.id) else {
            throw TransferError(
                .destinationExists, "Another transfer has taken \(facts.destination ?? "the destination").")
        }
    }

    /// Where its calls on files wait for a thread.
    var disk: DiskQueue { engine.disk.at(place) }

    func onDisk<Value: Sendable>(
        _ body: @escaping @Sendable (any DiskSystem) throws(DiskError) -> Value
    ) async throws(TransferError) -> Value {
        do throws(DiskError) {
            return try await disk.run(body)
        } catch {
            throw error.transferError
        }
    }

    func reached(_ step: LifeStep) { engine.configuration.reached(step) }

    /// Digests that the whole file must have: the caller's, and what the server stated.
    var expectedDigests: [Checksum] { wishes.checksums + (facts.identity?.reprDigests ?? []) }
}
