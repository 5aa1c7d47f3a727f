import FerryCore

/// The queue's answers.
extension FleetAgent {
    mutating func callFailed(_ error: ServiceError, at now: Double) -> [Effect] {
        _ = standing.end()
        guard error.code != .workerInUse else {
            return standing.refused(at: now, lease: configuration.lease) ? exit(error) : []
        }
        standing.unreachable(at: now)
        return [.log(.unreachable(error))]
    }

    mutating func answered(_ answer: WorkerAnswer, at now: Double) -> [Effect] {
        guard let call = standing.end() else { return [] }
        return answered(call, answer, at: now)
    }

    private mutating func answered(_ call: WorkerCall, _ answer: WorkerAnswer, at now: Double) -> [Effect] {
        switch (call, answer) {
        case (_, .except(let refused, let error, let rest)):
            outbox.postpone(refused.map(\.token), at: now)
            return [.log(.refused(refused.map(\.job), error))]
                + answered(call.without(Set(refused)), rest, at: now)
        case (_, .givenUp):
            standing.lost(at: now)
            return [.log(.givenUp)]
        case (_, .joined(let member, let leases)):
            standing.joined(member, lease: configuration.lease)
            pace.listens = member.listens
            return joined(leases, at: now)
        case (_, .beaten(let heartbeat)): return beaten(heartbeat, at: now)
        case (_, .rescued(let rescues)):
            if !rescues.isEmpty { pace.notified(at: now) }
            return rescues.map { .log(.rescued($0)) }
        case (.claim(let want), .claimed(let leases, let next)):
            pace.claimed(isFull: leases.count >= want, next: next, at: now)
            return leases.flatMap { hold($0, at: now) }
        case (.reclaim, .reclaimed(let leases)): return reclaimed(leases, at: now)
        case (.begin(let keys), .stale(let stale)):
            begun(keys, stale: Set(stale))
            return []
        case (.intend(let intents), .intended(let known, let stale)):
            return intended(intents.map(\.key), known: known, stale: Set(stale), at: now)
        case (.finish(let ends), .stale(let stale)):
            pace.ended(ends.count, at: now)
            return told(ends.map(\.key), stale: Set(stale))
        case (.giveBack(let returns), .stale(let stale)): return told(returns.map(\.key), stale: Set(stale))
        case (.landed(let keys), .stale):
            for key in keys { outbox.hasLanded(key.token) }
            return []
        case (.leave, .done): return exit(nil)
        default: return []
        }
    }

    private mutating func begun(_ keys: [LeaseKey], stale: Set<LeaseKey>) {
        for key in keys where jobs[key] != nil {
            if stale.contains(key) { forget(key.token) } else { jobs.update(key.token) { $0.isBegun = true } }
        }
    }

    private mutating func beaten(_ heartbeat: Heartbeat, at now: Double) -> [Effect] {
        standing.beaten(lease: configuration.lease, hasLateWorkers: heartbeat.hasLateWorkers)
        pace.expect(jobsAfter: heartbeat.next, at: now)
        guard heartbeat.server == standing.member?.server else {
            standing.moved(at: now)
            return []
        }
        var effects: [Effect] = []
        for wish in heartbeat.wishes where jobs[wish.key]?.isStoppable == true {
            switch wish.wish {
            case .cancel: effects += conclude(wish.key.token, .end(.canceled))
            case .pause: effects += conclude(wish.key.token, .giveBack(.paused))
            }
        }
        effects += follow(heartbeat.holds)
        if let patience = heartbeat.patience { effects += drain(patience: patience, at: now) }
        return effects
    }

    /// Holds origins in the daemon as the queue holds them, and releases the others.
    private mutating func follow(_ holds: [Heartbeat.Hold]) -> [Effect] {
        let now = Set(holds.map(\.origin))
        let released = daemon.heldOrigins.subtracting(now).sorted().map { Heartbeat.Hold(origin: $0, seconds: 0) }
        daemon.heldOrigins = now
        return holds.isEmpty && released.isEmpty ? [] : [.hold(holds + released)]
    }

    /// The queue knows these conclusions, or they count for nothing. The daemon's transfers may go.
    private mutating func told(_ keys: [LeaseKey], stale: Set<LeaseKey>) -> [Effect] {
        var effects: [Effect] = []
        for key in keys {
            guard let job = jobs[key], let conclusion = job.tellable else { continue }
            forget(key.token)
            if let leftover = job.leftover {
                effects.append(.discard(leftover, and: stale.contains(key) ? [] : job.lease?.intents ?? []))
            }
            if stale.contains(key) {
                effects.append(.log(.stale(key.job)))
                continue
            }
            switch conclusion {
            case .end(let outcome): effects.append(.log(.ended(key.job, outcome.kind)))
            case .giveBack(let reason, _, _, _): effects.append(.log(.returned(key.job, reason)))
            }
        }
        return effects
    }

    /// Parts with a job. The daemon's transfer of it is removed next.
    mutating func forget(_ token: JobToken) {
        outbox.forget(token)
        jobs.drop(token)
    }
}
