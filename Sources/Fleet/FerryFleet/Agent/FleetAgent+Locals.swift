import FerryCore

/// The transfers of the daemon, and what the leases say about them.
extension FleetAgent {
    // MARK: Leases

    /// The worker is a member: these leases are its own, and no others.
    mutating func joined(_ leases: [Lease], at now: Double) -> [Effect] {
        var effects: [Effect] = [.log(.joined(adopted: leases.count))]
        let held = Dictionary(leases.map { ($0.key.token, $0) }) { first, _ in first }
        for (token, job) in jobs where held[token]?.key != job.key { effects += drop(token) }
        for lease in leases where jobs[lease.key.token] == nil { effects += hold(lease) }
        locals.mayReclaim = true
        pace.notified(at: now)
        return effects
    }

    /// Forgets a job whose lease is gone. Its transfer stays until it is known whether the job can be had back.
    private mutating func drop(_ token: JobToken) -> [Effect] {
        guard let job = jobs.removeValue(forKey: token) else { return [] }
        outbox.forget(token)
        guard case .preparing = job.phase, let delivery = delivery(of: job) else { return [] }
        return [.abandon(delivery)]
    }

    /// Takes up a job, with the transfer that the daemon may already have.
    mutating func hold(_ lease: Lease) -> [Effect] {
        let token = lease.key.token
        guard jobs[token]?.key != lease.key else { return [] }
        var effects = drop(token)
        jobs[token] = HeldJob(lease)
        if lease.request == nil {
            effects += conclude(token, .giveBack(.unreadable, delay: 600, nil))
        } else if lease.intents.isEmpty {
            effects += resumeFetching(token)
        } else {
            jobs[token]?.phase = .unseen
        }
        return effects
    }

    /// Goes on with the daemon's transfer of a job, if it has one.
    mutating func resumeFetching(_ token: JobToken) -> [Effect] {
        jobs[token]?.phase = .unsubmitted
        guard let local = locals[token] else { return [] }
        jobs[token]?.phase = .fetching(local.id)
        return follow(local)
    }

    // MARK: Reclaiming

    /// Transfers without a lease: the worker still has bytes of them. Asked for once after joining.
    mutating func reclaim() -> WorkerCall? {
        guard locals.isListed, locals.mayReclaim else { return nil }
        let strays = locals.all.filter { jobs[$0.job.token] == nil }.map(\.job)
        guard !strays.isEmpty, drainDeadline == nil else {
            locals.mayReclaim = false
            return nil
        }
        return .reclaim(strays)
    }

    mutating func reclaimed(_ leases: [Lease], of wanted: [JobReference]) -> [Effect] {
        locals.mayReclaim = false
        var effects = leases.flatMap { hold($0) }
        let strays = wanted.filter { jobs[$0.token] == nil }.compactMap { locals[$0.token]?.id }
        if !strays.isEmpty { effects.append(.remove(strays)) }
        return effects
    }

    // MARK: The daemon

    mutating func listed(_ transfers: [LocalTransfer]) -> [Effect] {
        var unneeded = locals.replace(with: transfers)
        var effects: [Effect] = []
        for (token, job) in jobs.sorted(by: { $0.value.key.job < $1.value.key.job }) {
            let local = locals[token]
            switch job.phase {
            case .unsubmitted, .submitting:
                guard let local else { break }
                effects += attach(token, local)
            case .stopping(let id, _), .concluding(.some(let id), _):
                guard local?.id != id else {
                    if case .stopping = job.phase { effects.append(.remove([id])) }
                    break
                }
                lostTransfer(token)
            case .fetching, .arrived:
                guard let local else {
                    lostTransfer(token)
                    break
                }
                if job.transfer != local.id { jobs[token]?.phase = .fetching(local.id) }
                effects += follow(local)
            case .unseen, .looking, .preparing, .intending, .placing, .concluding(nil, _): break
            }
        }
        if standing.member != nil, !locals.mayReclaim {
            unneeded += locals.all.filter { jobs[$0.job.token] == nil }.map(\.id)
        }
        if !unneeded.isEmpty { effects.append(.remove(unneeded)) }
        return effects
    }

    mutating func changed(_ transfer: LocalTransfer) -> [Effect] {
        locals.set(transfer)
        return follow(transfer)
    }

    mutating func removed(_ id: TransferID) {
        guard let token = locals.remove(id), jobs[token]?.transfer == id else { return }
        lostTransfer(token)
    }

    /// The daemon has no transfer of a job any more.
    private mutating func lostTransfer(_ token: JobToken) {
        switch jobs[token]?.phase {
        case .stopping(_, let conclusion), .concluding(_, let conclusion):
            jobs[token]?.phase = .concluding(nil, conclusion)
            outbox.add(token)
        // Somebody else removed it.
        case .fetching, .arrived, .preparing: jobs[token]?.phase = .unsubmitted
        case .unseen, .looking, .intending, .placing, .unsubmitted, .submitting, nil: break
        }
    }

    /// Looks at a transfer of a job that is being fetched.
    private mutating func follow(_ local: LocalTransfer) -> [Effect] {
        let token = local.job.token
        guard let job = jobs[token], job.phase == .fetching(local.id) else { return [] }
        switch local.state {
        case .active(let received, let expected):
            jobs[token]?.received = received
            jobs[token]?.expected = expected
            return []
        case .suspended: return []
        case .waiting(let seconds, let received, let error):
            // One worker's answer is everybody's.
            if error?.code == .serverBusy, seconds >= Self.shortestHold,
                let origin = job.lease.request.flatMap({ try? HTTPURL(parsing: $0.url).origin })
            {
                outbox.hold(origin, seconds: min(seconds, Origin.longestHold))
            }
            // Worth waiting for here, if many bytes are here.
            guard seconds > Self.longestWait, received < Self.fewBytes else { return [] }
            return conclude(token, .giveBack(.retry, delay: seconds, error))
        case .succeeded(let file):
            jobs[token]?.phase = .arrived(local.id, file)
            jobs[token]?.received = file.size
            if file.size >= Self.fewBytes, job.lease.isLimited, !job.hasLanded { outbox.land(token) }
            return []
        case .failed(let error):
            if error.isOfThisMachine { return conclude(token, .giveBack(.local, delay: Self.localDelay, error)) }
            jobs[token]?.phase = .concluding(local.id, .end(.failed(error)))
            outbox.add(token)
            return []
        case .canceled:
            return conclude(token, .giveBack(.local, delay: Self.localDelay, nil))
        }
    }

    /// Pauses below this many seconds are not worth a call.
    private static let shortestHold = 2.0
    /// Seconds until the next attempt above which a job with few bytes goes back to the queue.
    private static let longestWait = 60.0
    private static let fewBytes: Int64 = 16 << 20
    /// Seconds until a job may be claimed again that this machine cannot fetch.
    private static let localDelay = 60.0

    // MARK: Submission

    mutating func submitJobs() -> [Effect] {
        // Before reclaiming, the daemon may have transfers of jobs that are claimed again.
        guard locals.isListed, standing.member != nil, !locals.mayReclaim else { return [] }
        let batch = jobs.values.filter { $0.phase == .unsubmitted }
            .sorted { $0.key.job < $1.key.job }
        guard !batch.isEmpty else { return [] }
        for job in batch { jobs[job.key.token]?.phase = .submitting }
        return [.submit(batch.map(\.lease))]
    }

    mutating func submitted(_ ids: [JobToken: TransferID]) -> [Effect] {
        ids.sorted { $0.value < $1.value }.flatMap { token, id in
            let local =
                locals[token]
                ?? LocalTransfer(
                    id: id, job: JobReference(job: jobs[token]?.key.job ?? JobID(0), token: token),
                    state: .active(received: 0, expected: nil))
            locals.set(local)
            // A job that was lost meanwhile: its transfer is not needed.
            guard jobs[token] != nil else { return [Effect.remove([id])] }
            return attach(token, local)
        }
    }

    private mutating func attach(_ token: JobToken, _ local: LocalTransfer) -> [Effect] {
        guard let job = jobs[token], job.phase == .submitting || job.phase == .unsubmitted else { return [] }
        jobs[token]?.phase = .fetching(local.id)
        if let conclusion = job.pending { return conclude(token, conclusion) }
        return follow(local)
    }

    mutating func refused(_ token: JobToken, _ error: ServiceError) {
        guard let job = jobs[token], job.phase == .submitting else { return }
        let conclusion: HeldJob.Conclusion =
            error.isOfThisMachine ? .giveBack(.local, delay: Self.localDelay, error) : .end(.failed(error))
        jobs[token]?.phase = .concluding(nil, job.pending ?? conclusion)
        outbox.add(token)
    }

    /// The next list tells whether the daemon has it.
    mutating func submissionLost(_ token: JobToken) {
        guard jobs[token]?.phase == .submitting else { return }
        locals.isListed = false
        jobs[token]?.phase = .unsubmitted
    }

    // MARK: Limited origins

    /// Suspends transfers of limited origins while others may hold their jobs, and resumes them.
    mutating func suspendOrResume(at now: Double) -> [Effect] {
        let isValid = standing.validUntil > now
        var changed: [TransferID] = []
        for job in jobs.values where job.lease.isLimited {
            guard case .fetching(let id) = job.phase, locals.suspended.contains(id) == isValid else { continue }
            if isValid { locals.resume(id) } else { locals.suspend(id) }
            changed.append(id)
        }
        guard !changed.isEmpty else { return [] }
        return [isValid ? .resume(changed.sorted()) : .suspend(changed.sorted())]
    }
}

extension ServiceError {
    /// Whether another worker may succeed, because the cause is this machine.
    var isOfThisMachine: Bool {
        switch code {
        case .diskFull, .diskIO, .partialLost, .destinationUnwritable, .placementFailed, .journalFailed, .internal,
            .daemonUnreachable, .fileTooLarge:
            true
        default: false
        }
    }
}
