import FerryCore
import FerryRules
import Logging
import NIOCore
import Synchronization

/// An attempt at a file that is expected to fit in memory, as recent ones of its origin did.
///
/// It sends one request over ``ShortConnections``, and places the file together with others. If the response or the
/// destination needs anything more, a ``TransferRun`` continues the attempt. It gets the response that was received, so
/// that the request is not sent twice.
actor ShortAttempt: AttemptRun {
    private let job: TransferJob
    private let plan: ShortPlan
    private nonisolated let engine: Engine
    private let journal: any FactsJournal
    private let exchange = ShortExchange()
    private var changed: TransferRequest?
    private var options: RunOptions
    private var ending = AttemptEnding()
    /// The run that continues the attempt.
    private var successor: TransferRun?

    // SAFETY: The actor keeps alive what owns the executor.
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe engine.home.unownedExecutor }

    /// - Returns: `nil` if the job needs a ``TransferRun`` from the beginning.
    init?(_ job: TransferJob, engine: Engine, journal: any FactsJournal) {
        guard job.expectsShortResponse, let plan = ShortPlan(job, engine.configuration),
            engine.names.knows(plan.url.host, on: engine.loops[EngineLoops.home])
        else { return nil }
        self.job = job
        self.plan = plan
        self.engine = engine
        self.journal = journal
        options = RunOptions(job.request)
    }

    func run() async -> RunReport {
        let began = SuspendingClock.now
        let place = await engine.places.place(of: job.request)
        guard !ending.isStopping else { return failed(ExchangeEnd.stopped, job.$facts) }
        switch await receive() {
        case .unanswered: return await leave(nil, job.$facts)
        case .failed(let error): return failed(error, job.$facts)
        case .response(let response):
            var report = await self.place(response, at: place)
            report.cost.seconds = began.duration(to: .now) / .seconds(1)
            report.places = exchange.places
            return report
        }
    }

    func follow(_ request: TransferRequest) {
        changed = request
        options = RunOptions(request)
        successor?.assumeIsolated { $0.follow(request) }
    }

    func stop(with error: ServiceError?) {
        ending.stop(with: error)
        exchange.fail(ExchangeEnd.stopped)
        successor?.assumeIsolated { $0.stop(with: error) }
    }

    private func receive() async -> ShortExchange.End {
        let url = plan.url
        guard let request = try? await request() else { return .unanswered }
        let origin = url.origin
        engine.budget.enter(origin)
        defer { engine.budget.leave(origin) }
        let seconds = min(job.request.timing.idleTimeout ?? engine.configuration.timeouts.head, IdleWatch.longest)
        let watch = IdleWatch(
            on: engine.loops.clock(EngineLoops.home), limit: .nanoseconds(Int64(seconds * 1e9)),
            activity: { [exchange] in exchange.activity },
            expired: { [exchange] in
                let message = exchange.hasBegun ? "stopped sending" : "did not answer"
                exchange.fail(IdleWatch.expiry(of: url, message, after: seconds))
            })
        defer { watch.cancel() }
        return await exchange.send(request)
    }

    private func request() async throws(ServiceError) -> PooledRequest {
        let url = plan.url
        var key = ConnectionKey()
        key.loop = EngineLoops.home
        key.family = job.request.transport.addressFamily
        key.scope = job.request.transport.addressScope
        if url.isSecure { key.trust = try await engine.material(of: job.request.tls.trust).home }
        key.offersHTTP2 = job.offersHTTP2 && url.isSecure && !engine.client.refusals.contains(url.origin)
        return PooledRequest(
            .known(plan.head), to: url, method: plan.head.method, on: ConnectionTarget(key, for: url),
            client: engine.client, receiver: exchange, timeouts: engine.configuration.timeouts)
    }

    /// Places the file of a response (docs/behaviour/transfers.md#D1, steps 2 to 11).
    private func place(_ response: ReceivedResponse, at place: DiskLane.Place) async -> RunReport {
        guard var facts = plan.facts(of: response, options) else { return await leave(response, job.$facts) }
        engine.configuration.logger.debug(
            "short response", metadata: ["transfer": "\(job.id)", "status": "\(response.head.status)"])
        engine.configuration.reached(.headAccepted)
        let body = SmallBody(job: job, bytes: response.body)
        let judged = body.judge(options.expectedDigests(with: facts.wrappedValue))
        guard judged.mismatched.isEmpty else { return await leave(response, job.$facts) }
        facts.wrappedValue.bytesSpent = body.size
        job.progress.spent.store(body.size, ordering: .relaxed)
        job.progress.received.store(body.size, ordering: .relaxed)
        job.progress.expected.store(body.size, ordering: .relaxed)
        await journal.isWhole(job.id, inMemory: true, isolation: self)
        options.rename(&facts.wrappedValue)
        let file = await body.file(facts, options, judged, of: engine, journal: journal)
        switch await engine.smallFiles(at: place).place(file) {
        case .notMade: return await leave(response, job.$facts)
        case .recorded(let recorded, _):
            var report = await leave(nil, recorded)
            report.cost.spent += body.size
            report.cost.gained += body.size
            report.cost.isWhole = true
            return report
        case .failed(let error, let recorded):
            return failed(error, recorded ?? facts, AttemptCost(spent: body.size))
        case .placed(let placed):
            let success = body.success(placed.wrappedValue, options, judged)
            let cost = AttemptCost(spent: body.size, gained: body.size, frontier: body.size)
            return RunReport(result: .succeeded(success), refusedBy: nil, facts: placed, cost: cost, digest: nil)
        }
    }

    private func failed(
        _ error: ServiceError, _ facts: Boxed<TransferFacts>, _ cost: AttemptCost = AttemptCost()
    ) -> RunReport {
        RunReport(
            result: ending.result(of: error, isFinal: false), refusedBy: nil, facts: facts, cost: cost, digest: nil)
    }

    /// Leaves the attempt to a ``TransferRun``.
    ///
    /// - Parameter response: The response to its first request, if one was received.
    private func leave(_ response: ReceivedResponse?, _ facts: Boxed<TransferFacts>) async -> RunReport {
        guard !ending.isStopping else { return failed(ExchangeEnd.stopped, facts) }
        var job = job
        job.$facts = facts
        let run = TransferRun(job, engine: engine, journal: journal, received: response)
        successor = run
        if let changed { await run.follow(changed) }
        return await Task(name: "attempt after a short response") { await run.run() }.value
    }
}

extension NameResolver {
    /// Whether the addresses of a host are known without waiting.
    fileprivate func knows(_ host: String, on loop: any EventLoop) -> Bool {
        if host.literalAddress != nil { return true }
        if case .known(.success) = ask(host, on: loop) { return true }
        return false
    }
}
