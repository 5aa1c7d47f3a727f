package import FerryCore
package import FerryFleet

/// Calls of workers.
extension MemoryQueue {
    /// - Throws: ``ServiceError`` with code `worker_in_use`.
    package mutating func perform(
        _ call: WorkerCall, as member: Membership?, at now: Double
    ) throws(ServiceError) -> WorkerAnswer {
        if case .join(let description) = call { return try join(description, at: now) }
        guard let member else { return .givenUp }
        switch call {
        case .join: return .givenUp
        case .beat(let report): return beat(member, report, at: now)
        case .rescue: return rescue(member, at: now)
        case .claim(let want): return claim(want, member, at: now)
        case .reclaim(let jobs): return reclaim(jobs, member, at: now)
        case .finish(let ends):
            return fenced(ends, \.key, member) { queue, end, lease, worker in
                if lease.wish == .remove {
                    queue.forget(end.key.job)
                } else {
                    queue.retire(end.key.job, end.outcome, worker: worker, at: now)
                }
            }
        case .giveBack(let returns):
            return fenced(returns, \.key, member) { queue, given, lease, worker in
                queue.note(given.key.job, given.key.fence, worker, given.reason.rawValue, given.error, now)
                queue.jobs[given.key.job]?.rescues = 0
                queue.jobs[given.key.job]?.attempts += given.attempts
                if given.attempts > 0, queue.jobs[given.key.job]?.failingAt == nil {
                    queue.jobs[given.key.job]?.failingAt = now
                }
                let state: JobState = given.reason == .paused ? .paused : given.delay > 0 ? .delayed : .waiting
                queue.restore(
                    lease, as: state, delay: given.delay, reason: given.reason.rawValue, worker: worker, at: now)
            }
        case .begin(let keys):
            for key in keys where isStanding(key, member) { leases[key.job]?.isBegun = true }
            return .stale(keys.filter { !isStanding($0, member) })
        case .upkeep: return .done
        case .landed(let keys):
            for key in keys where isStanding(key, member) {
                if let origin = leases[key.job]?.origin { witness.counters[origin, default: 0] -= 1 }
                leases[key.job]?.origin = nil
            }
            return .stale(keys.filter { !isStanding($0, member) })
        case .intend(let given):
            let standing = given.filter { isStanding($0.key, member) }
            for each in standing where intents[each.key.job]?.contains(each.intent) != true {
                intents[each.key.job, default: []].append(each.intent)
            }
            return .intended(
                known: Dictionary(standing.map { ($0.key.token, intents[$0.key.job] ?? []) }) { first, _ in first },
                stale: given.map(\.key).filter { !isStanding($0, member) })
        case .progress(let all):
            for each in all where isStanding(each.key, member) { leases[each.key.job]?.progress = each }
            return .done
        case .hold(let origin, let seconds):
            hold(origin, seconds: seconds, at: now)
            return .done
        case .leave:
            guard var worker = worker(member) else { return .givenUp }
            _ = release(worker, reason: "drained", at: now)
            worker.epoch += 1
            worker.isGone = true
            worker.aliveUntil = now
            worker.patience = nil
            worker.report = WorkerReport()
            workers[worker.description.name] = worker
            return .done
        }
    }

    /// Deletes the standing leases, and does something with each. Returns the others.
    private mutating func fenced<Item>(
        _ items: [Item], _ key: (Item) -> LeaseKey, _ member: Membership,
        _ body: (inout MemoryQueue, Item, LeaseRow, String) -> Void
    ) -> WorkerAnswer {
        let name = workers.values.first { $0.number == member.worker }?.description.name ?? ""
        var stale: [LeaseKey] = []
        for item in items {
            guard isStanding(key(item), member), let lease = leases.removeValue(forKey: key(item).job) else {
                stale.append(key(item))
                continue
            }
            if let origin = lease.origin { witness.counters[origin, default: 0] -= 1 }
            let holder = witness.holders[key(item).job]
            if holder?.key != key(item) || holder?.worker != member.worker || worker(member) == nil {
                witness.violation = "a call of \(name) about job \(key(item).job) was performed without its lease"
            }
            body(&self, item, lease, name)
        }
        return .stale(stale)
    }

    private mutating func join(_ description: WorkerDescription, at now: Double) throws(ServiceError) -> WorkerAnswer {
        var worker =
            workers[description.name] ?? Worker(number: Int32(workers.count + 1), description: description)
        let isSame = worker.description.identity == description.identity
        if !isSame, worker.aliveUntil > now {
            let lease = worker.description.lease
            let isKnown = worker.contender?.identity == description.identity
            if !isKnown || worker.contender.map({ $0.since > now - lease / 2 }) == true {
                if !isKnown { workers[description.name]?.contender = (description.identity, now) }
                throw .inUse(description.name, by: worker.description.machine)
            }
        }
        if !isSame { _ = release(worker, reason: "left", at: now) }
        worker.epoch += 1
        if !isSame || worker.beatAt < now - worker.description.lease / 2 { worker.beatingSince = now }
        worker.description = description
        worker.isGone = false
        if !isSame { worker.patience = nil }
        worker.aliveUntil = now + description.lease
        worker.beatAt = now
        worker.contender = nil
        workers[description.name] = worker
        let own = leases.values.filter { $0.worker == worker.number }.map(\.key.job).sorted()
        if mistake == .orphanedLeases {
            return .joined(Membership(worker: worker.number, epoch: worker.epoch, server: server), [])
        }
        for id in own { leases[id]?.epoch = worker.epoch }
        let member = Membership(worker: worker.number, epoch: worker.epoch, server: server)
        return .joined(member, own.compactMap { lease($0, at: now) })
    }

    private mutating func beat(_ member: Membership, _ report: WorkerReport, at now: Double) -> WorkerAnswer {
        guard var worker = worker(member) else { return .givenUp }
        if worker.beatAt < now - worker.description.lease / 2 { worker.beatingSince = now }
        worker.aliveUntil = now + worker.description.lease
        worker.beatAt = now
        worker.contender = nil
        worker.report = report
        workers[worker.description.name] = worker
        var heartbeat = Heartbeat(server: server)
        heartbeat.patience = worker.patience
        heartbeat.wishes = leases.values.filter { $0.worker == member.worker && $0.wish != .none }
            .sorted { $0.key.job < $1.key.job }
            .map { Heartbeat.JobWish(key: $0.key, wish: $0.wish == .pause ? .pause : .cancel) }
        heartbeat.holds = origins.filter { $0.value.holdUntil > now }.sorted { $0.key < $1.key }
            .map { Heartbeat.Hold(origin: $0.key, seconds: $0.value.holdUntil - now) }
        heartbeat.next = nextClaim(worker, at: now)
        heartbeat.hasLateWorkers = workers.values.contains { !$0.isGone && $0.aliveUntil < now }
        return .beaten(heartbeat)
    }

    private mutating func rescue(_ member: Membership, at now: Double) -> WorkerAnswer {
        guard let own = worker(member), own.aliveUntil > now else { return .givenUp }
        var rescues: [Rescue] = []
        for var other in workers.values.sorted(by: { $0.number < $1.number })
        where !other.isGone && other.aliveUntil < now
            && (own.beatingSince <= now - other.description.lease || mistake == .rescueAfterOutage)
        {
            if now < witness.outageEnd + other.description.lease {
                witness.violation = "\(other.description.name) was given up right after an outage"
            }
            let count = release(other, reason: "rescued", at: now)
            other.epoch += 1
            other.isGone = true
            other.rescued += count
            workers[other.description.name] = other
            rescues.append(Rescue(name: other.description.name, jobs: count))
        }
        return .rescued(rescues)
    }

    private mutating func claim(_ want: Int, _ member: Membership, at now: Double) -> WorkerAnswer {
        guard let worker = worker(member), worker.aliveUntil > now else { return .givenUp }
        guard worker.patience == nil else { return .claimed([], next: .infinity) }
        for (id, row) in jobs where row.state == .delayed && (row.readyAt ?? 0) <= now {
            jobs[id]?.state = .waiting
            jobs[id]?.readyAt = nil
        }
        let waiting = Dictionary(grouping: jobs.filter { $0.value.state == .waiting }, by: \.value.line)
        let eligible = waiting.keys.filter { line in
            (line.needs.isEmpty || worker.description.labels.contains(line.needs))
                && (origins[line.origin]?.holdUntil ?? 0) <= now
        }
        .sorted { (lines[$0] ?? 0, $0.origin, $0.needs) < (lines[$1] ?? 0, $1.origin, $1.needs) }
        var taken: [Lease] = []
        for line in eligible where taken.count < want {
            let room = origins[line.origin]?.atOnce.map { $0 - running(of: line.origin) } ?? .max
            let most = min(max(4, want / 4), want - taken.count, room)
            guard most > 0, let rows = waiting[line] else { continue }
            let order = rows.sorted { left, right in
                let (first, second) = (
                    left.value.request.transfer.timing.priority, right.value.request.transfer.timing.priority
                )
                return first == second ? left.key < right.key : first > second
            }
            for (id, _) in order.prefix(most) { taken.append(contentsOf: lease(id, to: worker, at: now)) }
            lastTurn += 1
            lines[line] = lastTurn
        }
        return .claimed(taken, next: taken.count < want ? nextClaim(worker, at: now) : 0)
    }

    private func nextClaim(_ worker: Worker, at now: Double) -> Double {
        let isAny = jobs.values.contains { row in
            let origin = origins[row.line.origin] ?? OriginRow()
            return row.state == .waiting && origin.holdUntil <= now
                && origin.atOnce.map { running(of: row.line.origin) < $0 } ?? true
                && (row.line.needs.isEmpty || worker.description.labels.contains(row.line.needs))
        }
        if isAny { return 0 }
        let moments =
            jobs.values.filter { $0.state == .delayed }.compactMap(\.readyAt) + origins.values.map(\.holdUntil)
        return max(0.01, (moments.filter { $0 > now }.min() ?? .infinity) - now)
    }

    private mutating func reclaim(_ wanted: [JobReference], _ member: Membership, at now: Double) -> WorkerAnswer {
        guard let worker = worker(member), worker.aliveUntil > now else { return .givenUp }
        var taken: [Lease] = []
        for each in wanted {
            guard let row = jobs[each.job], row.token == each.token, row.state == .waiting else { continue }
            if let limit = origins[row.line.origin]?.atOnce, running(of: row.line.origin) >= limit { continue }
            taken.append(contentsOf: lease(each.job, to: worker, at: now))
        }
        return .reclaimed(taken)
    }

    private mutating func lease(_ id: JobID, to worker: Worker, at now: Double) -> [Lease] {
        guard var row = jobs[id] else { return [] }
        row.state = .running
        row.fence += 1
        row.tries += 1
        row.startedAt = row.startedAt ?? now
        witness.counters[row.line.origin, default: 0] += 1
        jobs[id] = row
        leases[id] = LeaseRow(
            key: LeaseKey(job: id, token: row.token, fence: row.fence), worker: worker.number, epoch: worker.epoch,
            origin: row.line.origin)
        witness.holders[id] = (LeaseKey(job: id, token: row.token, fence: row.fence), worker.number)
        return lease(id, at: now).map { [$0] } ?? []
    }
}
