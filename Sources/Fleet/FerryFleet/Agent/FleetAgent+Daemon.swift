import FerryCore

/// The transfers of the daemon, and what the leases say about them.
extension FleetAgent {
    // MARK: Leases

    /// The worker is a member: these leases are its own, and no others.
    mutating func joined(_ leases: [Lease], at now: Double) -> [Effect] {
        var effects: [Effect] = [.log(.joined(adopted: leases.count))]
        let held = Dictionary(leases.map { ($0.key.token, $0.key) }) { first, _ in first }
        for job in jobs.held where held[job.token] != job.key { effects += drop(job.token) }
        for lease in leases where jobs[lease.key] == nil { effects += hold(lease, at: now) }
        daemon.mayReclaim = true
        pace.notified(at: now)
        return effects
    }

    /// Forgets a lease that is gone. Its transfer stays until it is known whether the job can be had back.
    private mutating func drop(_ token: JobToken) -> [Effect] {
        guard let job = jobs[token] else { return [] }
        jobs.drop(token)
        outbox.forget(token)
        guard case .preparing = job.step, let delivery = delivery(of: job) else { return [] }
        return [.abandon(delivery)]
    }

    /// Takes up a job, with the transfer that the daemon may already have.
    ///
    /// Checks the request by the rules of the command, because a submitter can store any text by SQL.
    mutating func hold(_ lease: Lease, at now: Double) -> [Effect] {
        let token = lease.key.token
        guard jobs[lease.key] == nil else { return [] }
        var effects = drop(token)
        var lease = lease
        let conclusion: AgentJob.Conclusion?
        if let request = lease.request {
            do throws(ServiceError) {
                lease.request = try lease.admitted(request)
                conclusion = nil
            } catch {
                conclusion = .end(.failed(ServiceError(.invalidRequest, error.message)))
            }
        } else {
            conclusion = .giveBack(.unreadable, delay: 600)
        }
        jobs.hold(lease)
        if let conclusion { effects += conclude(token, conclusion) }
        return effects
    }

    /// The destination allows the job: goes on with the daemon's transfer, if it has one.
    mutating func proceed(_ token: JobToken, at now: Double) -> [Effect] {
        let isPresent = jobs[token]?.transfer != nil
        jobs.update(token) { $0.step = isPresent ? .fetching : .ready }
        return isPresent ? follow(token, at: now) : []
    }

    // MARK: Reclaiming

    /// Transfers without a lease: the worker still has bytes of them. Asked for once after joining.
    mutating func reclaim() -> WorkerCall? {
        guard daemon.isListed, daemon.mayReclaim else { return nil }
        let strays = jobs.strays.map(\.reference)
        guard !strays.isEmpty, drain.deadline == nil else {
            daemon.mayReclaim = false
            return nil
        }
        return .reclaim(strays)
    }

    mutating func reclaimed(_ leases: [Lease], at now: Double) -> [Effect] {
        daemon.mayReclaim = false
        return leases.flatMap { hold($0, at: now) }
    }

    /// Removes the transfers of jobs without a lease, unless the jobs may still be had back.
    mutating func removeStrays() -> [Effect] {
        guard daemon.isListed, standing.member != nil, !daemon.mayReclaim else { return [] }
        let strays = jobs.strays.filter { $0.transfer != nil && !$0.isRemoving }
        guard !strays.isEmpty else { return [] }
        for stray in strays { jobs.update(stray.token) { $0.isRemoving = true } }
        return [.remove(strays.compactMap(\.transfer?.id))]
    }

    // MARK: The daemon

    mutating func listed(_ transfers: [LocalTransfer], at now: Double) -> [Effect] {
        let unneeded = jobs.replace(with: transfers)
        daemon.unneeded = Set(unneeded)
        daemon.isListed = true
        // It may have been started again, and knows no lease then.
        daemon.leasedUntil = -.infinity
        var effects: [Effect] = []
        for job in jobs.held {
            switch (job.step, job.transfer) {
            case (.ready, _?), (.submitting, _?): effects += attach(job.token, at: now)
            case (.concluding(_, afterRemoval: true), let transfer?): effects.append(.remove([transfer.id]))
            case (.fetching, _?), (.arrived, _?):
                jobs.update(job.token) { $0.step = .fetching }
                effects += follow(job.token, at: now)
            case (.fetching, nil), (.arrived, nil), (.concluding, nil): lostTransfer(job.token)
            default: break
            }
        }
        if !unneeded.isEmpty { effects.append(.remove(unneeded)) }
        return effects
    }

    mutating func changed(_ transfer: LocalTransfer, at now: Double) -> [Effect] {
        jobs.set(transfer) ? follow(transfer.job.token, at: now) : []
    }

    mutating func removed(_ id: TransferID) {
        daemon.unneeded.remove(id)
        guard let token = jobs.owner(of: id)?.token else { return }
        jobs.update(token) { job in
            job.transfer = nil
            (job.isRemoving, job.isLimiting) = (false, false)
        }
        lostTransfer(token)
    }

    /// The daemon has no transfer of a job any more.
    private mutating func lostTransfer(_ token: JobToken) {
        switch jobs[token]?.step {
        case .concluding: outbox.add(token)
        // Somebody else removed it.
        case .fetching, .arrived, .preparing: jobs.update(token) { $0.step = .ready }
        case .unseen, .looking, .ready, .submitting, .intending, .placing, nil: break
        }
    }

    /// Looks at the transfer of a job that is being fetched.
    private mutating func follow(_ token: JobToken, at now: Double) -> [Effect] {
        guard let job = jobs[token], job.step == .fetching, let lease = job.lease, let transfer = job.transfer else {
            return []
        }
        // Its server has been limited since it was submitted.
        if lease.isLimited, !transfer.isLimited, !job.isLimiting, job.mayReceive {
            jobs.update(token) { $0.isLimiting = true }
            return [.limit(transfer.id, job.reference)] + follow(token, at: now)
        }
        switch transfer.state {
        case .active, .suspended: return []
        case .waiting(let seconds, let received, let error):
            // One worker's answer is everybody's.
            if error?.code == .serverBusy, seconds >= Self.shortestHold, let origin = lease.request?.origin {
                outbox.hold(origin, seconds: min(seconds, Origin.longestHold))
            }
            // Worth waiting for here, if many bytes are here.
            guard seconds > Self.longestWait, received < Self.fewBytes else { return [] }
            return conclude(token, lease.retry(after: seconds, error))
        case .succeeded(let file):
            health.worked(.spool)
            jobs.update(token) { $0.step = .arrived(file) }
            if file.size >= Self.fewBytes, lease.isLimited, !job.hasLanded {
                jobs.update(token) { $0.hasLanded = true }
                outbox.land(token)
            }
            return []
        case .failed(let error):
            guard error.isOfThisMachine else {
                end(token, .failed(error))
                return []
            }
            return failedHere(token, .local, error, hasBegun: true, at: now)
        case .canceled: return conclude(token, .giveBack(.local))
        }
    }

    /// This machine cannot run the job. It claims nothing for a while, and another may have it at once.
    ///
    /// A job whose bytes no machine could keep ends. One that has not begun waits for as long as its store is away.
    mutating func failedHere(
        _ token: JobToken, _ reason: JobReturn.Reason, _ error: ServiceError, hasBegun: Bool, at now: Double
    ) -> [Effect] {
        guard let lease = jobs[token]?.lease else { return [] }
        let effects = noteFailure(error, of: reason == .store ? .store : .spool, at: now)
        let failures = lease.spent.machineFailures
        if hasBegun, failures + 1 >= Self.mostMachineFailures {
            return effects + conclude(token, .end(.failed(error)))
        }
        // Another worker may have it at once. If that one cannot run it either, the trouble may be everybody's.
        let delay = failures == 0 ? 0 : Self.returnDelays.delay(afterFailures: failures)
        return effects + conclude(token, .giveBack(reason, delay: delay, error))
    }

    private static let returnDelays = Backoff(first: 5, longest: 120)

    mutating func noteFailure(_ error: ServiceError, of place: WorkerHealth.Place, at now: Double) -> [Effect] {
        health.failed(error, of: place, at: now).map { [.log(.condition($0))] } ?? []
    }

    /// Pauses below this many seconds are not worth a call.
    private static let shortestHold = 2.0
    /// Seconds until the next attempt above which a job with few bytes goes back to the queue.
    private static let longestWait = 60.0
    private static let fewBytes: Int64 = 16 << 20
    /// Failures of workers' machines that end a job.
    private static let mostMachineFailures = 10

    // MARK: Submission

    mutating func submitJobs() -> [Effect] {
        // Before reclaiming, the daemon may have transfers of jobs that are claimed again.
        guard daemon.isListed, standing.member != nil, !daemon.mayReclaim else { return [] }
        // A file that had arrived and is gone is fetched anew in a place of its own.
        let lost = jobs.held { $0.step == .ready && $0.hasLanded }
        let effects = lost.flatMap { conclude($0.token, .giveBack(.local)) }
        let batch = jobs.held { $0.step == .ready && ($0.isBegun || $0.lease?.isSuspect != true) }
        guard !batch.isEmpty else { return effects }
        for job in batch { jobs.update(job.token) { $0.step = .submitting } }
        return effects + [.submit(batch.compactMap(\.lease))]
    }

    mutating func submitted(_ ids: [JobToken: TransferID], at now: Double) -> [Effect] {
        ids.sorted { $0.value < $1.value }.flatMap { token, id -> [Effect] in
            guard let job = jobs[token] else { return [.remove([id])] }
            // An event may have come before the answer.
            if job.transfer == nil {
                jobs.set(
                    LocalTransfer(
                        id: id, job: job.reference, state: .active(received: 0, expected: nil),
                        isLimited: job.lease?.isLimited ?? false))
            }
            // A job whose lease was lost meanwhile: its transfer is a stray.
            guard job.lease != nil else {
                jobs.update(token) { $0.step = .unseen }
                return []
            }
            return attach(token, at: now)
        }
    }

    private mutating func attach(_ token: JobToken, at now: Double) -> [Effect] {
        guard let job = jobs[token], job.step == .submitting || job.step == .ready else { return [] }
        jobs.update(token) { $0.step = .fetching }
        if let conclusion = job.pending { return conclude(token, conclusion) }
        return follow(token, at: now)
    }

    mutating func refused(_ token: JobToken, _ error: ServiceError, at now: Double) -> [Effect] {
        guard let job = jobs[token], job.step == .submitting else { return [] }
        jobs.update(token) { $0.step = .ready }
        if let pending = job.pending { return conclude(token, pending) }
        return error.isOfThisMachine
            ? failedHere(token, .local, error, hasBegun: true, at: now) : conclude(token, .end(.failed(error)))
    }

    /// A job that the daemon does not have is submitted again.
    mutating func submissionLost(_ tokens: [JobToken], _ found: [LocalTransfer], at now: Double) -> [Effect] {
        for transfer in found where jobs[transfer.job.token]?.transfer == nil { jobs.set(transfer) }
        return tokens.flatMap { token -> [Effect] in
            guard let job = jobs[token], job.step == .submitting else { return [] }
            guard job.lease != nil, job.transfer != nil else {
                jobs.update(token) { $0.step = job.lease == nil ? .unseen : .ready }
                return []
            }
            return attach(token, at: now)
        }
    }

    /// Extends the lease of the daemon's session as the worker's own leases are extended.
    ///
    /// Not while the daemon may run a transfer whose job is another worker's by now: it is removed first.
    mutating func renewLease(at now: Double) -> [Effect] {
        // The daemon needs a moment to stop them.
        let end = standing.validUntil - configuration.lease / 10
        guard daemon.isListed, end > max(now, daemon.leasedUntil), jobs.containsHeld(where: \.isUnfinished),
            daemon.unneeded.isEmpty, !jobs.strays.contains(where: \.mayReceive)
        else { return [] }
        daemon.leasedUntil = end
        return [.renew(until: end)]
    }
}

/// The daemon as the agent knows it.
struct DaemonView: Hashable, Sendable {
    /// Whether the daemon's list has been read since it was last lost.
    var isListed = false
    /// Whether jobs of transfers without a lease are still to be asked for, since the worker joined.
    var mayReclaim = false
    /// Origins that it holds.
    var heldOrigins: Set<String> = []
    /// Further transfers of jobs that have one already, until they are removed.
    var unneeded: Set<TransferID> = []
    /// Until when it runs transfers from limited origins.
    var leasedUntil = -Double.infinity
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
