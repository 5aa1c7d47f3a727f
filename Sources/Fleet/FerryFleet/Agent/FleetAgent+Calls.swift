import FerryCore

/// The conversation with the queue.
extension FleetAgent {
    /// The most urgent call, if any is due.
    mutating func nextCall(at now: Double) -> WorkerCall? {
        guard standing.member != nil else {
            return standing.isJoinDue(at: now) ? .join(configuration.worker) : nil
        }
        if standing.isBeatDue(at: now) { return .beat }
        if standing.isRescueDue { return .rescue }
        if let call = reclaim() { return call }
        // In turn, so that none of them holds up the others.
        for step in 0..<Turn.allCases.count {
            let next = Turn.allCases[(turn + step) % Turn.allCases.count]
            guard let call = call(for: next, at: now) else { continue }
            turn = (turn + step + 1) % Turn.allCases.count
            return call
        }
        if drainDeadline != nil, jobs.isEmpty { return .leave }
        return progress(at: now)
    }

    private enum Turn: CaseIterable { case intend, conclude, land, hold, claim }

    private mutating func call(for turn: Turn, at now: Double) -> WorkerCall? {
        switch turn {
        case .intend:
            let intents = tokens(outbox.intending).compactMap { token -> JobIntent? in
                guard case .intending(_, _, let file) = jobs[token]?.phase, let key = jobs[token]?.key else {
                    return nil
                }
                return JobIntent(key: key, intent: file.intent)
            }
            return intents.isEmpty ? nil : .intend(intents)
        case .conclude: return conclusions()
        case .land:
            let landed = tokens(outbox.landed).compactMap { jobs[$0]?.key }
            return landed.isEmpty ? nil : .landed(landed)
        case .hold: return outbox.takeHold().map { .hold($0.origin, seconds: $0.seconds) }
        case .claim:
            let want = wantedJobs
            return want > 0 && pace.due <= now ? .claim(want) : nil
        }
    }

    private func tokens(_ set: Set<JobToken>) -> [JobToken] {
        let known = set.compactMap { token in jobs[token].map { (token: token, job: $0.key.job) } }
        return known.sorted { $0.job < $1.job }.prefix(AgentOutbox.mostInCall).map(\.token)
    }

    /// Ends first: they free origins.
    private func conclusions() -> WorkerCall? {
        var ends: [JobEnd] = []
        var returns: [JobReturn] = []
        for token in tokens(outbox.concluded) {
            guard let job = jobs[token], case .concluding(_, let conclusion) = job.phase else { continue }
            switch conclusion {
            case .end(let outcome): ends.append(JobEnd(key: job.key, outcome: outcome))
            case .giveBack(let reason, let delay, let error):
                returns.append(JobReturn(key: job.key, reason: reason, delay: delay, error: error))
            }
        }
        if !ends.isEmpty { return .finish(ends) }
        return returns.isEmpty ? nil : .giveBack(returns)
    }

    /// Number of jobs to claim now.
    var wantedJobs: Int {
        guard standing.member != nil, drainDeadline == nil, hasRoom, locals.isListed else { return 0 }
        let slots = configuration.worker.slots
        let ahead = min(configuration.mostAhead, pace.ahead)
        let unfinished = jobs.values.count(where: \.isUnfinished)
        // Jobs that wait for the store or the queue count too: the spool is finite.
        let free = min(slots + ahead - unfinished, 2 * slots + 2 * ahead - jobs.count)
        guard free > 0, unfinished < slots || free * 4 >= slots + ahead else { return 0 }
        return min(free, AgentOutbox.mostInCall)
    }

    mutating func room(_ isEnough: Bool, at now: Double) -> [Effect] {
        guard isEnough != hasRoom else { return [] }
        hasRoom = isEnough
        if isEnough { pace.notified(at: now) }
        return [.log(.room(isEnough))]
    }

    private mutating func progress(at now: Double) -> WorkerCall? {
        outbox.planProgress(isAnyRunning: jobs.values.contains { $0.received > 0 && $0.isUnfinished }, at: now)
        guard outbox.progressDue <= now else { return nil }
        outbox.progressSent()
        let running = jobs.values.filter { $0.received > 0 && $0.isUnfinished }.sorted { $0.key.job < $1.key.job }
            .prefix(AgentOutbox.mostInCall)
        return .progress(running.map { JobProgress(key: $0.key, received: $0.received, expected: $0.expected) })
    }

    // MARK: Answers

    mutating func callFailed(_ error: ServiceError, at now: Double) -> [Effect] {
        _ = standing.end()
        guard error.code != .workerInUse else {
            guard standing.refused(at: now, lease: configuration.lease) else { return [] }
            hasExited = true
            return [.exit(error)]
        }
        standing.unreachable(at: now)
        return [.log(.unreachable(error))]
    }

    mutating func answered(_ answer: WorkerAnswer, at now: Double) -> [Effect] {
        guard let call = standing.end() else { return [] }
        switch (call, answer) {
        case (_, .givenUp):
            standing.lost(at: now)
            return [.log(.givenUp)]
        case (_, .joined(let member, let leases)):
            standing.joined(member, lease: configuration.lease)
            return joined(leases, at: now)
        case (_, .beaten(let heartbeat)): return beaten(heartbeat, at: now)
        case (_, .rescued(let rescues)):
            if !rescues.isEmpty { pace.notified(at: now) }
            return rescues.map { .log(.rescued($0)) }
        case (.claim(let want), .claimed(let leases, let next)):
            pace.claimed(isFull: leases.count >= want, next: next, at: now)
            return leases.flatMap { hold($0) }
        case (.reclaim(let wanted), .reclaimed(let leases)): return reclaimed(leases, of: wanted)
        case (.intend(let intents), .intended(let known, let stale)):
            return intended(intents.map(\.key), known: known, stale: Set(stale), at: now)
        case (.finish(let ends), .stale(let stale)):
            pace.ended(ends.count, at: now)
            return told(ends.map(\.key), stale: Set(stale))
        case (.giveBack(let returns), .stale(let stale)): return told(returns.map(\.key), stale: Set(stale))
        case (.landed(let keys), .stale):
            for key in keys {
                jobs[key.token]?.hasLanded = true
                outbox.hasLanded(key.token)
            }
            return []
        case (.leave, .done):
            hasExited = true
            return [.exit(nil)]
        default: return []
        }
    }

    private mutating func beaten(_ heartbeat: Heartbeat, at now: Double) -> [Effect] {
        standing.beaten(lease: configuration.lease)
        guard heartbeat.server == standing.member?.server else {
            standing.moved(at: now)
            return []
        }
        var effects: [Effect] = []
        for wish in heartbeat.wishes where jobs[wish.key.token]?.key == wish.key {
            guard jobs[wish.key.token]?.isStoppable == true else { continue }
            switch wish.wish {
            case .cancel: effects += conclude(wish.key.token, .end(.canceled))
            case .pause: effects += conclude(wish.key.token, .giveBack(.paused, delay: 0, nil))
            }
        }
        if !heartbeat.holds.isEmpty { effects.append(.hold(heartbeat.holds)) }
        if let patience = heartbeat.patience { effects += drain(patience: patience, at: now) }
        return effects
    }

    /// The queue knows these conclusions, or they count for nothing. The daemon's transfers may go.
    private mutating func told(_ keys: [LeaseKey], stale: Set<LeaseKey>) -> [Effect] {
        var effects: [Effect] = []
        var done: [TransferID] = []
        for key in keys {
            guard let job = jobs[key.token], job.key == key, case .concluding(_, let conclusion) = job.phase else {
                continue
            }
            done += forget(key.token)
            if let leftover = job.leftover {
                effects.append(.discard(leftover, and: stale.contains(key) ? [] : job.lease.intents))
            }
            if stale.contains(key) {
                effects.append(.log(.stale(key.job)))
                continue
            }
            switch conclusion {
            case .end(let outcome): effects.append(.log(.ended(key.job, outcome.kind)))
            case .giveBack(let reason, _, _): effects.append(.log(.returned(key.job, reason)))
            }
        }
        if !done.isEmpty { effects.append(.remove(done)) }
        return effects
    }

    /// Parts with a job, and returns the daemon's transfer of it, which is not needed any more.
    ///
    /// The daemon's list may have come after the job's end was decided, so the job itself need not know the transfer.
    mutating func forget(_ token: JobToken) -> [TransferID] {
        outbox.forget(token)
        let transfer = jobs.removeValue(forKey: token)?.transfer ?? locals[token]?.id
        return transfer.map { [$0] } ?? []
    }
}
