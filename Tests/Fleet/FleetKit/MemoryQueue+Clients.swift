package import FerryCore
package import FerryFleet
import FerryFoundation

/// Calls of those who submit jobs and watch them.
extension MemoryQueue {
    package mutating func submit(
        _ requests: [JobRequest], at now: Double, using random: inout some RandomNumberGenerator
    ) -> [JobSubmission] {
        requests.map { request in
            lastID += 1
            do throws(ServiceError) {
                return try submit(request, JobID(lastID), at: now, token: .random(using: &random))
            } catch {
                return JobSubmission(.refused(error))
            }
        }
    }

    private mutating func submit(
        _ request: JobRequest, _ id: JobID, at now: Double, token: JobToken
    ) throws(ServiceError) -> JobSubmission {
        let job = try request.admitted()
        if let key = request.key {
            if let same = jobs.first(where: { $0.value.request.key == key })?.key {
                return JobSubmission(.existing(same))
            }
            if let same = ended.first(where: { $0.value.row.request.key == key })?.key {
                return JobSubmission(.existing(same))
            }
        }
        guard stores.contains(where: { $0.contains(job.request.path) }) else { return .outside(job.request.path) }
        if let path = job.request.exclusivePath,
            let other = jobs.first(where: { $0.value.request.exclusivePath == path })?.key
        {
            return .taken(path, by: other)
        }
        let line = Line(origin: job.origin.description, needs: request.needs)
        let ready = job.request.notBefore?.timeIntervalSince1970
        let isDelayed = ready.map { $0 > now } ?? false
        let isPaused = job.request.transfer.timing.paused
        jobs[id] = Row(
            token: token, request: job.request, line: line, state: isPaused ? .paused : isDelayed ? .delayed : .waiting,
            readyAt: isDelayed && !isPaused ? ready : nil, reason: isDelayed && !isPaused ? "begin_date" : nil,
            createdAt: now)
        return JobSubmission(.added(id))
    }

    package mutating func act(_ action: JobAction, on ids: [JobID], at now: Double) -> [JobActionResult] {
        Set(ids).sorted().map { id in
            guard let row = jobs[id] else { return actOnEnded(action, id, at: now) }
            switch (row.state, action) {
            case (.running, .cancel): wish(.cancel, for: id)
            case (.running, .pause): wish(.pause, for: id)
            case (.running, .remove): wish(.remove, for: id)
            case (.running, .resume): if leases[id]?.wish == .pause { leases[id]?.wish = .none }
            case (_, .cancel): retire(id, .canceled, worker: nil, at: now)
            case (_, .remove): forget(id)
            case (_, .pause):
                jobs[id]?.state = .paused
                jobs[id]?.readyAt = nil
                jobs[id]?.reason = nil
            case (_, .resume): letWait(id, at: now)
            case (_, .retry): break
            }
            settleWishes(at: now)
            return JobActionResult(id: id, state: (try? job(id, at: now))?.state)
        }
    }

    /// Makes a job wait, until its begin date if it has one.
    private mutating func letWait(_ id: JobID, at now: Double) {
        let begin = jobs[id]?.request.notBefore.map(\.timeIntervalSince1970).flatMap { $0 > now ? $0 : nil }
        jobs[id]?.state = begin == nil ? .waiting : .delayed
        jobs[id]?.readyAt = begin
        jobs[id]?.reason = begin == nil ? nil : "begin_date"
    }

    /// Ends jobs that their users canceled, paused or removed, and whose workers' leases are over.
    package mutating func settleWishes(at now: Double) {
        for lease in leases.values.sorted(by: { $0.key.job < $1.key.job }) where lease.wish != .none {
            guard let worker = workers.values.first(where: { $0.number == lease.worker }), worker.aliveUntil < now
            else {
                continue
            }
            leases[lease.key.job] = nil
            note(lease.key.job, lease.key.fence, worker.description.name, "rescued", nil, now)
            restore(lease, as: .waiting, delay: 0, reason: nil, worker: worker.description.name, at: now)
        }
    }

    private mutating func wish(_ wish: Wish, for id: JobID) {
        switch (leases[id]?.wish, wish) {
        case (.remove, _), (.cancel, .pause): break
        default: leases[id]?.wish = wish
        }
    }

    private mutating func actOnEnded(_ action: JobAction, _ id: JobID, at now: Double) -> JobActionResult {
        guard let end = ended[id] else { return JobActionResult(id: id, error: .unknown(id)) }
        switch action {
        case .remove:
            ended[id] = nil
            return JobActionResult(id: id)
        case .retry where end.outcome.kind == .succeeded: return JobActionResult(id: id, error: .succeeded(id))
        case .retry:
            if let path = end.row.request.exclusivePath,
                jobs.values.contains(where: { $0.request.exclusivePath == path })
            {
                return JobActionResult(id: id, error: .taken(id))
            }
            ended[id] = nil
            var row = end.row
            (row.rescues, row.attempts, row.failingAt, row.startedAt) = (0, 0, nil, nil)
            jobs[id] = row
            letWait(id, at: now)
            if row.fence > 0, let worker = end.worker {
                var error: ServiceError?
                if case .failed(let failure) = end.outcome { error = failure }
                note(id, row.fence, worker, end.outcome.kind.rawValue, error, end.at)
            }
            return JobActionResult(id: id, state: .waiting)
        default: return JobActionResult(id: id, state: (try? job(id, at: now))?.state)
        }
    }

    package mutating func hold(_ origin: Origin, seconds: Double, at now: Double) {
        let until = now + min(max(seconds, 0), 3600)
        let before = origins[origin.description]?.holdUntil ?? until
        origins[origin.description, default: OriginRow()].holdUntil = max(before, until)
    }

    package mutating func release(_ origin: Origin) { origins[origin.description]?.holdUntil = -.infinity }

    package mutating func keep(for seconds: Double) { keptFor = seconds }

    package mutating func setOrigin(_ origin: Origin, atOnce: Int?) {
        origins[origin.description, default: OriginRow()].atOnce = atOnce
    }

    /// - Throws: ``ServiceError`` with code `invalid_request`.
    package mutating func setStore(_ store: Store) throws(ServiceError) {
        if let other = stores.first(where: { $0.folder == store.folder && $0.name != store.name }) {
            throw .taken(store.folder, by: other.name)
        }
        stores.removeAll { $0.name == store.name }
        stores.append(store)
        stores.sort { $0.name < $1.name }
    }

    package mutating func drain(_ name: String?, patience: Double) -> [String] {
        let names = workers.values.filter { !$0.isGone && (name == nil || $0.description.name == name) }
            .map(\.description.name).sorted()
        for name in names { workers[name]?.patience = patience }
        return names
    }

    /// - Throws: ``ServiceError`` with code `unknown_transfer`.
    package func job(_ id: JobID, at now: Double) throws(ServiceError) -> Job {
        if let row = jobs[id] { return view(row, id, at: now) }
        guard let end = ended[id] else { throw .unknown(id) }
        var job = view(end.row, id, at: now)
        job.reason = nil
        job.times.ready = nil
        job.claims.worker = end.worker
        job.times.finished = Date(timeIntervalSince1970: end.at)
        switch end.outcome {
        case .succeeded(let result): (job.state, job.result) = (.succeeded, result)
        case .failed(let error): (job.state, job.error) = (.failed, error)
        case .canceled: job.state = .canceled
        }
        return job
    }

    private func view(_ row: Row, _ id: JobID, at now: Double) -> Job {
        let lease = leases[id]
        let origin = origins[row.line.origin] ?? OriginRow()
        let state: TransferState
        var reason: WaitReason?
        switch row.state {
        case .running: state = .running
        case .paused: state = .suspended
        case .delayed:
            state = .waiting
            reason = row.reason == "begin_date" ? .beginDate : .retry
        case .waiting:
            state = .waiting
            let needs = row.line.needs
            let isFull = origin.atOnce.map { running(of: row.line.origin) >= $0 } ?? false
            let hasLabel =
                needs.isEmpty
                || workers.values.contains { $0.aliveUntil > now && $0.description.labels.contains(needs) }
            reason = origin.holdUntil > now ? .server : isFull ? .host : hasLabel ? .slot : .label
        }
        let name = workers.values.first { $0.number == lease?.worker }?.description.name
        return Job(
            id: id, token: row.token, state: state, reason: reason, url: row.request.transfer.url,
            destination: row.request.path, priority: row.request.transfer.timing.priority.rawValue,
            labels: Job.Labels(
                key: row.request.key, batch: row.request.batch,
                needs: row.line.needs.isEmpty ? nil : row.line.needs),
            claims: Job.Claims(fence: row.fence, tries: row.tries, rescues: row.rescues, worker: name),
            bytes: Job.Bytes(received: lease?.progress?.received, expected: lease?.progress?.expected),
            times: Job.Times(
                created: Date(timeIntervalSince1970: row.createdAt),
                ready: row.readyAt.map(Date.init(timeIntervalSince1970:))),
            history: row.history.isEmpty ? nil : row.history)
    }

    package func jobs(_ query: JobQuery, at now: Double) -> [Job] {
        let ids = (Array(jobs.keys) + ended.keys).sorted { query.newestFirst ? $0 > $1 : $0 < $1 }
        return Array(
            ids.filter { id in query.after.map { query.newestFirst ? id < $0 : id > $0 } ?? true }
                .compactMap { try? job($0, at: now) }
                .filter { query.states.isEmpty || query.states.contains($0.state) }
                .filter { query.code == nil || $0.error?.code == query.code }
                .filter { query.batch == nil || $0.labels.batch == query.batch }
                .filter { job in query.host.map { (try? HTTPURL(parsing: job.url))?.host == $0 } ?? true }
                .prefix(query.limit))
    }

    package func ends(after cursor: String?, limit: Int, at now: Double) -> EndPage {
        guard let cursor, let after = Int(cursor) else { return EndPage(ends: [], next: String(lastEnd)) }
        let page = ended.filter { $0.value.number > after }.sorted { $0.value.number < $1.value.number }.prefix(limit)
        let ends = page.compactMap { id, end in
            (try? job(id, at: now)).map { EndPage.End(cursor: String(end.number), job: $0) }
        }
        return EndPage(ends: ends, next: ends.last?.cursor ?? cursor)
    }
}

extension MemoryQueue {
    package func status(at now: Double) -> FleetStatus {
        let waiting = jobs.filter { $0.value.state == .waiting }
        let busy = origins.filter { name, origin in
            origin.holdUntil > now || origin.atOnce.map { running(of: name) >= $0 } ?? false
        }
        return FleetStatus(
            workers: workers.values.sorted { $0.description.name < $1.description.name }.map { worker in
                FleetStatus.Worker(
                    name: worker.description.name,
                    machine: worker.description.machine.isEmpty ? nil : worker.description.machine,
                    version: worker.description.version,
                    state: worker.isGone
                        ? .gone : worker.aliveUntil < now ? .late : worker.patience != nil ? .draining : .up,
                    slots: worker.description.slots, running: worker.isGone ? 0 : worker.report.running,
                    held: leases.values.count { $0.worker == worker.number },
                    lastBeat: Date(timeIntervalSince1970: worker.beatAt),
                    condition: worker.isGone ? nil : worker.report.condition)
            },
            tenants: [
                FleetStatus.Tenant(
                    name: "default", waiting: waiting.count, running: leases.count, share: leases.isEmpty ? 0 : 1)
            ],
            origins: busy.sorted { $0.key < $1.key }.map { name, origin in
                FleetStatus.BusyOrigin(
                    origin: name, running: running(of: name), atOnce: origin.atOnce,
                    heldUntil: origin.holdUntil > now ? Date(timeIntervalSince1970: origin.holdUntil) : nil)
            },
            oldestWaiting: waiting.keys.min().flatMap { id in
                guard let job = try? job(id, at: now), let reason = job.reason else { return nil }
                return FleetStatus.OldestWaiting(id: id, createdAt: job.times.created, reason: reason)
            },
            endsInLastMinute: ended.values.count { $0.at > now - 60 },
            rescues: workers.values.reduce(0) { $0 + $1.rescued })
    }
}
