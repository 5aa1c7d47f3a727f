import FerryCore

/// Looks at destinations before anything is fetched, and deliveries: copy, record the intent, place.
extension FleetAgent {
    mutating func deliver(at now: Double) -> [Effect] {
        if standing.validUntil <= now { return cutOff() }
        guard standing.allowsDelivery(at: now, lease: configuration.lease) else { return [] }
        let patience = configuration.storePatience
        var effects: [Effect] = []
        for job in jobs.held(where: { $0.step == .unseen && $0.retryDue <= now }) {
            guard let look = job.lease.flatMap(Look.init) else { continue }
            jobs.update(job.token) { $0.ask(.looking, patience: patience, at: now) }
            effects.append(.look(look))
        }
        let free = configuration.deliveries - jobs.held { if case .preparing = $0.step { true } else { false } }.count
        guard free > 0 else { return effects }
        let due = jobs.held { job in if case .arrived = job.step { job.retryDue <= now } else { false } }
        for job in due.prefix(free) {
            guard case .arrived(let file) = job.step else { continue }
            lastAttempt += 1
            let attempt = lastAttempt
            jobs.update(job.token) { job in
                job.attempt = attempt
                job.ask(.preparing(file), patience: patience, at: now)
            }
            if let delivery = jobs[job.token].flatMap({ delivery(of: $0) }) { effects.append(.prepare(delivery)) }
        }
        return effects
    }

    /// The leases are over: another worker may deliver the jobs by now.
    private mutating func cutOff() -> [Effect] {
        jobs.held { if case .preparing = $0.step { true } else { false } }.compactMap { job in
            guard case .preparing(let file) = job.step else { return nil }
            jobs.update(job.token) { $0.step = .arrived(file) }
            return delivery(of: job).map { .abandon($0) }
        }
    }

    /// Treats steps that the store does not answer as failed.
    mutating func giveUpStore(at now: Double) -> [Effect] {
        jobs.held { $0.isOverdue(at: now) }.flatMap { job -> [Effect] in
            guard let key = job.key, let folder = job.lease?.request?.file.folder else { return [] }
            let failure = DeliveryFailure(
                ServiceError(.destinationUnwritable, "The store of \(folder.escapingControls) does not answer."),
                isTemporary: true)
            guard let delivery = delivery(of: job) else { return lookFailed(key, failure, at: now) }
            if case .placing = job.step {
                // The file may appear at any time. The job's next holder finds it by its intent.
                jobs.update(job.token) { $0.leftover = delivery }
                return failedHere(job.token, .store, failure.error, hasBegun: false, at: now)
            }
            return [.abandon(delivery)] + deliveryFailed(delivery, failure, at: now)
        }
    }

    /// The store takes a copy, however slowly.
    mutating func copying(_ delivery: Delivery, at now: Double) {
        guard let job = job(of: delivery), case .preparing = job.step else { return }
        let due = now + configuration.storePatience
        jobs.update(job.token) { $0.answerDue = due }
    }

    mutating func looked(_ key: LeaseKey, _ result: JobResult?, at now: Double) -> [Effect] {
        guard jobs[key]?.step == .looking else { return [] }
        jobs.update(key.token) { $0.storeWorked() }
        guard let result else { return proceed(key.token, at: now) }
        let isOwn = !result.isUnchanged
        return (isOwn ? [.log(.recognized(key.job))] : []) + conclude(key.token, .end(.succeeded(result)))
    }

    mutating func lookFailed(_ key: LeaseKey, _ failure: DeliveryFailure, at now: Double) -> [Effect] {
        guard jobs[key]?.step == .looking else { return [] }
        jobs.update(key.token) { $0.step = .unseen }
        guard failure.isTemporary else { return conclude(key.token, .end(.failed(failure.error))) }
        return storeFailed(key, failure, at: now)
    }

    /// The store is away, full, or refuses the write. Bytes that are here wait a while; then another worker may have the job.
    private mutating func storeFailed(_ key: LeaseKey, _ failure: DeliveryFailure, at now: Double) -> [Effect] {
        jobs.update(key.token) { $0.storeFailed(at: now) }
        let effects = noteFailure(failure.error, of: .store, at: now)
        guard let job = jobs[key], job.received == 0 || now - (job.failingSince ?? now) >= configuration.storePatience
        else { return effects }
        return effects
            + failedHere(key.token, .store, failure.error, hasBegun: job.received > 0, at: now)
    }

    /// The job of a delivery, while it is under way.
    private func job(of delivery: Delivery) -> AgentJob? {
        jobs[delivery.key].flatMap { $0.attempt == delivery.attempt ? $0 : nil }
    }

    mutating func prepared(_ delivery: Delivery, _ file: PreparedFile) -> [Effect] {
        guard let job = job(of: delivery), case .preparing(let local) = job.step else {
            // Nobody waits for this copy, and no intent names it.
            return [.discard(delivery, and: [])]
        }
        jobs.update(job.token) { $0.step = .intending(local, file) }
        outbox.intend(job.token)
        return []
    }

    mutating func intended(
        _ keys: [LeaseKey], known: [JobToken: [Intent]], stale: Set<LeaseKey>, at now: Double
    ) -> [Effect] {
        var effects: [Effect] = []
        for key in keys {
            outbox.intended(key.token)
            guard let job = jobs[key], case .intending(let local, let file) = job.step, let delivery = delivery(of: job)
            else { continue }
            if stale.contains(key) {
                // The lease is gone. The next heartbeat or claim tells whether all are.
                forget(key.token)
                effects += [.log(.stale(key.job)), .discard(delivery, and: [])]
            } else if standing.validUntil > now {
                let patience = configuration.storePatience
                jobs.update(key.token) { $0.ask(.placing(local, file), patience: patience, at: now) }
                effects.append(.place(delivery, file, known: known[key.token] ?? [file.intent]))
            } else {
                // Too late. After the next heartbeat it begins anew.
                jobs.update(key.token) { $0.step = .arrived(local) }
                effects.append(.discard(delivery, and: []))
            }
        }
        return effects
    }

    mutating func placed(_ delivery: Delivery, _ placement: Placement) -> [Effect] {
        guard let job = job(of: delivery), case .placing(let local, let file) = job.step else {
            return [.discard(delivery, and: [])]
        }
        switch placement {
        case .renamed(let next):
            jobs.update(job.token) { $0.step = .intending(local, next) }
            outbox.intend(job.token)
            return []
        case .delivered(let result):
            health.worked(.store)
            end(job.token, .succeeded(result))
            let isOthers =
                !result.isUnchanged && (result.sha256 != file.intent.sha256 || result.path != file.intent.path)
            // The final name keeps the file. Copies of earlier holders are removed once the end is recorded.
            if job.lease?.intents.isEmpty == false { jobs.update(job.token) { $0.leftover = delivery } }
            return (isOthers ? [.log(.recognized(delivery.key.job))] : []) + [.discard(delivery, and: [])]
        }
    }

    mutating func deliveryFailed(_ delivery: Delivery, _ failure: DeliveryFailure, at now: Double) -> [Effect] {
        let discard = Effect.discard(delivery, and: [])
        guard let job = job(of: delivery) else { return [discard] }
        let local: LocalFile
        switch job.step {
        case .preparing(let file), .placing(let file, _): local = file
        default: return [discard]
        }
        let log = Effect.log(.deliveryFailed(delivery.key.job, failure.error))
        guard !failure.isTemporary else {
            jobs.update(job.token) { $0.step = .arrived(local) }
            return [log, discard] + storeFailed(delivery.key, failure, at: now)
        }
        // Not before the end is recorded: until then the copy's inode must not be another file's.
        jobs.update(job.token) { $0.leftover = delivery }
        end(job.token, .failed(failure.error))
        return [log]
    }
}
