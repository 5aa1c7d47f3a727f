package import FerryCore

/// The agent of one worker: decides what to claim, hand over, deliver, end and give back. A pure value: no clock and no I/O.
///
/// The shell performs the effects and reports what came of them as inputs. One call to the queue is in flight at a time;
/// what happens meanwhile is told together with the next.
package struct FleetAgent: Sendable {
    package enum Input: Hashable, Sendable {
        /// Begins the worker's life.
        case started
        /// The queue's answer to the call in flight. On failure the call may have been performed or not.
        case answered(WorkerAnswer)
        case callFailed(ServiceError)
        /// All transfers of the worker's session in its daemon, after attaching.
        case listed([LocalTransfer])
        /// A transfer has changed.
        case changed(LocalTransfer)
        /// A transfer is gone.
        case removed(TransferID)
        /// The daemon is gone. Another `listed` follows when it is back.
        case daemonLost
        /// The daemon has got these jobs.
        case submitted([JobToken: TransferID])
        /// The daemon has refused a job.
        case refused(JobToken, ServiceError)
        /// The daemon's reply to the submission of these jobs was lost. A later list showed that it has these transfers of
        /// the jobs. Events may be newer than the list.
        case submissionLost([JobToken], [LocalTransfer])
        /// The job's file as it was found in the store, or `nil` if it is not there.
        case looked(LeaseKey, JobResult?)
        case lookFailed(LeaseKey, DeliveryFailure)
        case prepared(Delivery, PreparedFile)
        /// More of a delivery's copy has been written.
        case copying(Delivery)
        case placed(Delivery, Placement)
        case deliveryFailed(Delivery, DeliveryFailure)
        /// Jobs may be waiting.
        case notified
        /// Why the spool or a store cannot be used, as a check has found, or `nil`.
        case checked(String?)
        case alarm
        /// Claims nothing more, and returns what has not ended within this many seconds. Soon afterwards the worker exits,
        /// also while the queue is away: its leases end by themselves.
        case stop(patience: Double)
    }

    package enum Effect: Hashable, Sendable {
        case call(WorkerCall, Membership?)
        /// Submits jobs to the daemon in one batch.
        case submit([Lease])
        /// Removes transfers with their files. `removed` follows for each.
        case remove([TransferID])
        /// Limits a transfer of the daemon to one connection and to the lease of its session.
        case limit(TransferID, JobReference)
        /// Extends the lease of the daemon's session: transfers from limited origins run until then. The daemon stops them
        /// by itself, also if this process is dead by then.
        case renew(until: Double)
        /// Looks at a job's destination.
        case look(Look)
        case prepare(Delivery)
        case place(Delivery, PreparedFile, known: [Intent])
        /// Stops copying.
        case abandon(Delivery)
        /// Removes the copy of a delivery, and those of earlier holders of the job.
        case discard(Delivery, and: [Intent])
        /// Holds origins in the daemon, and releases those with 0 seconds.
        case hold([Heartbeat.Hold])
        /// Sends `alarm` at this time, in place of an earlier alarm.
        case setAlarm(Double)
        case log(Event)
        /// The agent has ended: after a drain, or because it cannot go on.
        case exit(ServiceError?)
    }

    /// An event for the log and the counters.
    package enum Event: Hashable, Sendable {
        case joined(adopted: Int)
        case givenUp
        case unreachable(ServiceError)
        case rescued(Rescue)
        /// The queue refused to record something about these jobs.
        case refused([JobID], ServiceError)
        case stale(JobID)
        /// A file that an earlier holder had placed was recognized.
        case recognized(JobID)
        case ended(JobID, JobOutcome.Kind)
        case returned(JobID, JobReturn.Reason)
        case deliveryFailed(JobID, ServiceError)
        case draining
        /// Why the worker claims nothing from now on, or `nil` if it claims again.
        case condition(String?)
    }

    package struct Configuration: Hashable, Sendable {
        package var worker: WorkerDescription
        /// Maximum number of jobs claimed beyond the slots.
        package var mostAhead: Int
        /// Seconds between two claims of an idle worker that is not notified of jobs.
        package var poll: Double
        /// Maximum number of deliveries at once.
        package var deliveries: Int
        /// Seconds for which complete files wait for a store that fails, and for which a store may take to answer.
        package var storePatience: Double

        package init(
            worker: WorkerDescription, mostAhead: Int = 1000, poll: Double = 5, deliveries: Int = 4,
            storePatience: Double = 60
        ) {
            self.worker = worker
            self.mostAhead = mostAhead
            self.poll = poll
            self.deliveries = deliveries
            self.storePatience = storePatience
        }

        package var lease: Double { worker.lease }
    }

    /// Whether a store has failed, and nothing has been delivered since.
    package var doubtsStores: Bool { health.doubtsStores }

    /// Jobs with a lease, in order of their numbers.
    package var heldJobs: [AgentJob] { jobs.held }

    package let configuration: Configuration
    package internal(set) var standing = AgentStanding()
    var jobs = AgentJobs()
    var outbox = AgentOutbox()
    var daemon = DaemonView()
    var health = WorkerHealth()
    var pace: ClaimPace
    private(set) var drain = AgentDrain()
    var upkeepDue = -Double.infinity
    /// Distinguishes this process in names of copies.
    private let writer: String
    var lastAttempt = 0
    /// Which call comes first next time.
    var turn = 0
    var hasExited = false
    private var alarm = Double.infinity

    /// - Parameter seed: Random. Spreads the claims of workers, and distinguishes the copies of processes.
    package init(_ configuration: Configuration, seed: UInt64) {
        self.configuration = configuration
        pace = ClaimPace(poll: configuration.poll, seed: seed)
        writer = String(seed, radix: 36)
    }

    /// - Parameter now: Seconds by a clock that does not stop while the machine sleeps.
    package mutating func take(_ inputs: [Input], at now: Double) -> [Effect] {
        guard !hasExited else { return [] }
        var effects = inputs.flatMap { take($0, at: now) }
        if !hasExited { effects += act(at: now) }
        if !hasExited { effects += nextAlarm(at: now) }
        return effects
    }

    private mutating func take(_ input: Input, at now: Double) -> [Effect] {
        var effects: [Effect] = []
        switch input {
        case .started: standing.joinDue = now
        case .answered(let answer): effects += answered(answer, at: now)
        case .callFailed(let error): effects += callFailed(error, at: now)
        case .listed(let transfers): effects += listed(transfers, at: now)
        case .changed(let transfer): effects += changed(transfer, at: now)
        case .removed(let id): removed(id)
        case .daemonLost: daemon.isListed = false
        case .submitted(let ids): effects += submitted(ids, at: now)
        case .refused(let token, let error): effects += refused(token, error, at: now)
        case .submissionLost(let tokens, let found): effects += submissionLost(tokens, found, at: now)
        case .looked(let key, let result): effects += looked(key, result, at: now)
        case .lookFailed(let key, let failure): effects += lookFailed(key, failure, at: now)
        case .prepared(let delivery, let file): effects += prepared(delivery, file)
        case .copying(let delivery): copying(delivery, at: now)
        case .placed(let delivery, let placement): effects += placed(delivery, placement)
        case .deliveryFailed(let delivery, let failure): effects += deliveryFailed(delivery, failure, at: now)
        case .notified: pace.notified(at: now)
        case .checked(let condition):
            if health.checked(condition) {
                effects.append(.log(.condition(condition)))
                pace.notified(at: now)
            }
        case .alarm: alarm = .infinity
        case .stop(let patience):
            effects += drain(patience: patience, at: now)
            drain.stop(patience: patience, at: now)
        }
        return effects
    }

    func delivery(of job: AgentJob) -> Delivery? { job.delivery(by: writer) }

    /// Ends the worker.
    mutating func exit(_ error: ServiceError?) -> [Effect] {
        hasExited = true
        return [.exit(error)]
    }

    /// Everything that is due by now.
    private mutating func act(at now: Double) -> [Effect] {
        // Without the queue there is nothing to wait for.
        if let exit = drain.exit, exit <= now || standing.isAway { return self.exit(nil) }
        var effects = removeStrays()
        effects += renewLease(at: now)
        effects += returnDrained(at: now)
        effects += submitJobs()
        effects += giveUpStore(at: now)
        effects += deliver(at: now)
        if standing.inFlight == nil, let call = nextCall(at: now) {
            standing.begin(call, at: now)
            effects.append(.call(call, standing.member))
        }
        return effects
    }

    private mutating func nextAlarm(at now: Double) -> [Effect] {
        var times = [standing.nextCallDue, drain.deadline ?? .infinity, drain.exit ?? .infinity]
        // A fifth before the end deliveries stop to begin, at the end they are cut off.
        times += [standing.validUntil - configuration.lease / 5, standing.validUntil]
        times += jobs.storeTimes + [health.restUntil]
        if standing.inFlight == nil, wantedJobs(at: now) > 0 { times.append(pace.due) }
        if standing.member != nil { times.append(upkeepDue) }
        times += [outbox.progressDue, outbox.nextPostponed(after: now)]
        let next = times.filter { $0 > now }.min() ?? .infinity
        guard next != alarm, next < .infinity else { return [] }
        alarm = next
        return [.setAlarm(next)]
    }

    // MARK: Drain

    /// Begins to drain. Asked again, the earlier deadline counts.
    mutating func drain(patience: Double, at now: Double) -> [Effect] {
        drain.begin(patience: patience, at: now) ? [.log(.draining)] : []
    }

    /// Gives back what has not ended in time.
    private mutating func returnDrained(at now: Double) -> [Effect] {
        guard let deadline = drain.deadline, deadline <= now else { return [] }
        var effects: [Effect] = []
        for job in jobs.held(where: \.isStoppable) { effects += conclude(job.token, .giveBack(.drained)) }
        return effects
    }

    // MARK: Conclusions

    /// Parts with a job: stops its transfer first, if the daemon has one that may still run.
    mutating func conclude(_ token: JobToken, _ conclusion: AgentJob.Conclusion) -> [Effect] {
        guard let job = jobs[token], job.lease != nil else { return [] }
        var effects: [Effect] = []
        if case .preparing = job.step, let delivery = delivery(of: job) { effects.append(.abandon(delivery)) }
        if job.step == .submitting, job.transfer == nil {
            jobs.update(token) { $0.pending = conclusion }
            return effects
        }
        jobs.update(token) { job in
            job.step = .concluding(conclusion, afterRemoval: true)
            job.isRemoving = job.transfer != nil
        }
        if let transfer = job.transfer { effects.append(.remove([transfer.id])) } else { outbox.add(token) }
        return effects
    }

    /// Ends a job whose transfer has ended. The transfer stays until the queue knows: it remembers the end.
    mutating func end(_ token: JobToken, _ outcome: JobOutcome) {
        jobs.update(token) { $0.step = .concluding(.end(outcome), afterRemoval: false) }
        outbox.add(token)
    }
}
