import FerryCore

/// The calls to the queue that are due.
extension FleetAgent {
    /// The most urgent call, if any is due.
    mutating func nextCall(at now: Double) -> WorkerCall? {
        guard standing.member != nil else {
            return standing.isJoinDue(at: now) ? .join(configuration.worker) : nil
        }
        if standing.isBeatDue(at: now) { return .beat(report(at: now)) }
        if standing.isRescueDue { return .rescue }
        if let call = reclaim() { return call }
        if upkeepDue <= now {
            upkeepDue = now + Self.upkeepInterval
            return .upkeep
        }
        // In turn, so that none of them holds up the others.
        for step in 0..<Turn.allCases.count {
            let next = Turn.allCases[(turn + step) % Turn.allCases.count]
            guard let call = call(for: next, at: now) else { continue }
            turn = (turn + step + 1) % Turn.allCases.count
            return call
        }
        // The daemon removes its last transfers first. After the worker has left, no process would remove them.
        if drain.deadline != nil, jobs.heldCount == 0, jobs.strays.isEmpty || !daemon.isListed { return .leave }
        return progress(at: now)
    }

    /// Seconds between two calls of `upkeep`.
    private static let upkeepInterval = 600.0

    private enum Turn: CaseIterable { case intend, conclude, begin, land, hold, claim }

    /// The state for the fleet's status.
    package func report(at now: Double) -> WorkerReport {
        let running = min(jobs.unfinishedCount, configuration.worker.slots)
        return WorkerReport(running: running, condition: condition(at: now))
    }

    /// Why the worker claims nothing, for the fleet's status.
    func condition(at now: Double) -> String? {
        if let condition = health.condition(at: now) { return condition }
        if !daemon.isListed { return "Its ferryd does not answer." }
        return drain.deadline == nil && freeJobs <= 0 && jobs.unfinishedCount < configuration.worker.slots
            ? "\(jobs.heldCount) jobs wait for the store or the queue." : nil
    }

    private mutating func call(for turn: Turn, at now: Double) -> WorkerCall? {
        switch turn {
        case .intend:
            let intents = tokens(outbox.intending, at: now).compactMap { token -> JobIntent? in
                guard case .intending(_, let file) = jobs[token]?.step, let key = jobs[token]?.key else { return nil }
                return JobIntent(key: key, intent: file.intent)
            }
            return intents.isEmpty ? nil : .intend(intents)
        case .conclude: return conclusions(at: now)
        case .begin:
            let keys = suspectsToBegin().filter { outbox.mayTell($0.token, at: now) }
            return keys.isEmpty ? nil : .begin(keys)
        case .land:
            let landed = tokens(outbox.landed, at: now).compactMap { jobs[$0]?.key }
            return landed.isEmpty ? nil : .landed(landed)
        case .hold: return outbox.takeHold().map { .hold($0.origin, seconds: $0.seconds) }
        case .claim:
            let want = wantedJobs(at: now)
            return want > 0 && pace.due <= now ? .claim(want) : nil
        }
    }

    private func tokens(_ set: Set<JobToken>, at now: Double) -> [JobToken] {
        let known = set.compactMap { token in
            outbox.mayTell(token, at: now) ? jobs[token].map { (token: token, job: $0.reference.job) } : nil
        }
        return known.sorted { ($0.job, $0.token) < ($1.job, $1.token) }.prefix(AgentOutbox.mostInCall).map(\.token)
    }

    /// Ends first: they free origins.
    private func conclusions(at now: Double) -> WorkerCall? {
        var ends: [JobEnd] = []
        var returns: [JobReturn] = []
        for token in tokens(outbox.concluded, at: now) {
            guard let job = jobs[token], let key = job.key, let conclusion = job.tellable else { continue }
            switch conclusion {
            case .end(let outcome): ends.append(JobEnd(key: key, outcome: outcome))
            case .giveBack(let reason, let delay, let error, let attempts):
                returns.append(JobReturn(key: key, reason: reason, delay: delay, error: error, attempts: attempts))
            }
        }
        if !ends.isEmpty { return .finish(ends) }
        return returns.isEmpty ? nil : .giveBack(returns)
    }

    /// Jobs with which workers were lost are fetched one after the other, so that the next loss tells which of them it is.
    private func suspectsToBegin() -> [LeaseKey] {
        let suspects = jobs.held { $0.lease?.isSuspect == true && $0.isUnfinished }
        // The daemon has these already.
        let running = suspects.filter { !$0.isBegun && $0.step == .fetching }
        guard running.isEmpty else { return running.compactMap(\.key) }
        guard !suspects.contains(where: \.isBegun) else { return [] }
        return suspects.first { $0.step == .ready }.flatMap(\.key).map { [$0] } ?? []
    }

    /// Number of jobs to claim now.
    func wantedJobs(at now: Double) -> Int {
        guard standing.member != nil, drain.deadline == nil, daemon.isListed, health.condition(at: now) == nil else {
            return 0
        }
        let free = freeJobs
        let most = configuration.worker.slots + ahead
        guard free > 0, jobs.unfinishedCount < configuration.worker.slots || free * 4 >= most else { return 0 }
        return min(free, AgentOutbox.mostInCall)
    }

    private var ahead: Int { min(configuration.mostAhead, pace.ahead) }

    /// Number of further jobs for which there is a place. Jobs that wait for the store or the queue count too: the spool is
    /// finite.
    private var freeJobs: Int {
        let most = configuration.worker.slots + ahead
        return min(most - jobs.unfinishedCount, 2 * most - jobs.heldCount)
    }

    private mutating func progress(at now: Double) -> WorkerCall? {
        outbox.planProgress(isAnyRunning: jobs.containsHeld(where: \.isReceiving), at: now)
        guard outbox.progressDue <= now else { return nil }
        outbox.progressSent()
        let receiving = jobs.held(where: \.isReceiving).prefix(AgentOutbox.mostInCall)
        return .progress(receiving.compactMap(\.progress))
    }
}
