package import FerryCore
package import Logging
import Synchronization

/// A worker of the fleet: performs the decisions of ``FleetAgent``.
package actor FleetWorker {
    private var agent: FleetAgent
    private let queue: any SharedQueue
    private let session: LocalSession
    private let logger: Logger
    private let inputs: AsyncStream<[FleetAgent.Input]>
    private let sender: AsyncStream<[FleetAgent.Input]>.Continuation
    private var alarm: Task<Void, Never>?
    /// Copies under way, by name.
    private var deliveries: [String: Task<Void, Never>] = [:]
    private let stores: StoreBook
    private var end: Result<Void, ServiceError>?
    private let clock = WorkerClock()
    private var counters = WorkerCounters()
    private var roundTrip: Double?
    /// Time between two reports that a copy goes on.
    private static let copyInterval = Duration.seconds(10)
    /// Called with each event of the log.
    private let report: @Sendable (FleetAgent.Event) -> Void

    /// - Parameter seed: Seed of the agent's random numbers, which spread the claims of idle workers.
    package init(
        _ configuration: FleetAgent.Configuration, queue: any SharedQueue, session: LocalSession, logger: Logger,
        seed: UInt64 = .random(in: 0 ... .max), report: @escaping @Sendable (FleetAgent.Event) -> Void = { _ in }
    ) {
        agent = FleetAgent(configuration, seed: seed)
        self.queue = queue
        stores = StoreBook(queue)
        self.session = session
        self.logger = logger
        self.report = report
        (inputs, sender) = AsyncStream.makeStream()
    }

    /// Runs until a drain has ended or the worker cannot go on.
    ///
    /// - Throws: ``ServiceError`` with code `worker_in_use`.
    package func run() async throws(ServiceError) {
        session.open { [sender] in sender.yield($0) }
        sender.yield([.started])
        for await inputs in inputs {
            take(inputs)
            if end != nil { break }
        }
        alarm?.cancel()
        for task in deliveries.values { task.cancel() }
        await session.close()
        try end?.get()
    }

    /// Claims nothing more, gives back what has not ended after this many seconds, and exits soon afterwards.
    package nonisolated func stop(patience: Double) { sender.yield([.stop(patience: patience)]) }

    /// Jobs may be waiting.
    package nonisolated func notify() { sender.yield([.notified]) }

    /// Checks the stores once, and reports why this machine can run no jobs.
    ///
    /// - Parameter spool: The spool's problem, or `nil`.
    package func check(spool: String?) async {
        var condition = spool
        if condition == nil { condition = await stores.problem(writes: agent.doubtsStores) }
        sender.yield([.checked(condition)])
    }

    /// The worker's state and counts.
    package var snapshot: WorkerSnapshot {
        let report = agent.report(at: now)
        return WorkerSnapshot(
            counters: counters, isMember: agent.standing.member != nil, slots: agent.configuration.worker.slots,
            running: report.running, held: agent.heldJobs.count, condition: report.condition,
            validity: agent.standing.validUntil - now, roundTrip: roundTrip)
    }

    /// Returns once the worker takes inputs: at once, unless it hangs.
    package func takesInputs() {}

    // MARK: Effects

    private var now: Double { clock.now }

    private func take(_ inputs: [FleetAgent.Input]) {
        for effect in agent.take(inputs, at: now) { perform(effect) }
    }

    private func perform(_ effect: FleetAgent.Effect) {
        switch effect {
        case .call(let call, let member): send("call") { await self.answer(to: call, member) }
        case .submit(let leases): send("submission") { [session] in await session.submit(leases) }
        case .remove(let ids): send("removal") { [session] in await session.remove(ids) }
        case .limit(let id, let job): Task(name: "limit") { [session] in await session.limit(id, job) }
        case .renew(let end):
            let uptime = clock.uptime(at: end)
            Task(name: "renewal") { [session] in await session.renewLease(until: uptime) }
        case .look(let look): send("search for \(look.key.job)") { await self.look(look) }
        case .prepare(let delivery):
            deliveries[delivery.copyName] = Task(name: "delivery of \(delivery.key.job)") {
                await self.prepare(delivery)
            }
        case .place(let delivery, let file, let known):
            send("placement of \(delivery.key.job)") { await self.place(file, delivery, known) }
        case .abandon(let delivery): deliveries[delivery.copyName]?.cancel()
        case .discard(let delivery, let earlier):
            Task(name: "clean-up of \(delivery.key.job)") { [stores] in
                try? await stores.store(for: delivery.folder).discard(delivery, and: earlier)
            }
        case .hold(let holds): Task(name: "hold") { [session] in await session.hold(holds) }
        case .setAlarm(let time): setAlarm(time)
        case .log(let event): log(event)
        case .exit(let error): end = error.map { .failure($0) } ?? .success(())
        }
    }

    /// Performs something in a task, and passes the inputs that come of it to the agent.
    private func send(_ name: String, _ body: @escaping @Sendable () async -> [FleetAgent.Input]) {
        Task(name: name) { [sender] in sender.yield(await body()) }
    }

    private func answer(to call: WorkerCall, _ member: Membership?) async -> [FleetAgent.Input] {
        do throws(ServiceError) {
            let begin = now
            let answer = try await queue.perform(call, as: member)
            roundTrip = now - begin
            counters.note(answer)
            return [.answered(answer)]
        } catch {
            return [.callFailed(error)]
        }
    }

    private func look(_ look: Look) async -> [FleetAgent.Input] {
        do throws(DeliveryFailure) {
            return [.looked(look.key, try await stores.store(for: look.folder).look(look))]
        } catch {
            return [.lookFailed(look.key, error)]
        }
    }

    private func prepare(_ delivery: Delivery) async {
        let progress = CopyProgress()
        let watch = Task(name: "progress of \(delivery.key.job)") { [sender] in
            var last = progress.bytes
            while (try? await Task.sleep(for: Self.copyInterval)) != nil {
                guard progress.bytes > last else { continue }
                last = progress.bytes
                sender.yield([.copying(delivery)])
            }
        }
        defer {
            watch.cancel()
            deliveries[delivery.copyName] = nil
        }
        let input: FleetAgent.Input
        do throws(DeliveryFailure) {
            input = .prepared(delivery, try await stores.store(for: delivery.folder).prepare(delivery, progress))
        } catch {
            input = .deliveryFailed(delivery, error)
        }
        sender.yield([input])
    }

    private func place(
        _ file: PreparedFile, _ delivery: Delivery, _ known: [Intent]
    ) async -> [FleetAgent.Input] {
        do throws(DeliveryFailure) {
            let store = try await stores.store(for: delivery.folder)
            let placement = try await store.place(file, of: delivery, known: known)
            counters.note(placement)
            return [.placed(delivery, placement)]
        } catch {
            return [.deliveryFailed(delivery, error)]
        }
    }

    private func setAlarm(_ time: Double) {
        alarm?.cancel()
        let delay = Duration.seconds(max(0, time - now))
        alarm = Task(name: "alarm") { [sender] in
            guard (try? await Task.sleep(for: delay, tolerance: .milliseconds(1), clock: .continuous)) != nil else {
                return
            }
            sender.yield([.alarm])
        }
    }

    // MARK: Log

    private func log(_ event: FleetAgent.Event) {
        counters.note(event)
        report(event)
        switch event {
        case .joined(let adopted): logger.info("joined the fleet", metadata: ["adopted": "\(adopted)"])
        case .givenUp: logger.warning("was given up; joining again")
        case .unreachable(let error): logger.warning("\(error.message)")
        case .refused(let jobs, let error):
            let shown = jobs.prefix(10).map(\.description).joined(separator: " ")
            logger.warning("\(error.message)", metadata: ["count": "\(jobs.count)", "jobs": "\(shown)"])
        case .rescued(let rescue):
            logger.notice("gave a worker up", metadata: ["worker": "\(rescue.name)", "jobs": "\(rescue.jobs)"])
        case .stale(let job): logger.notice("a conclusion came too late", metadata: ["job": "\(job)"])
        case .recognized(let job):
            logger.notice("found the file of an earlier holder", metadata: ["job": "\(job)"])
        case .ended(let job, let kind): logger.debug("ended", metadata: ["job": "\(job)", "outcome": "\(kind)"])
        case .returned(let job, let reason):
            logger.info("gave a job back", metadata: ["job": "\(job)", "reason": "\(reason)"])
        case .deliveryFailed(let job, let error):
            logger.warning("a delivery failed: \(error.message)", metadata: ["job": "\(job)"])
        case .draining: logger.notice("draining")
        case .condition(nil): logger.notice("claims jobs again")
        case .condition(let problem?): logger.warning("claims no jobs: \(problem)")
        }
    }
}
