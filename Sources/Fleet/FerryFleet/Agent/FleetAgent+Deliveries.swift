import FerryCore

/// Deliveries into shared stores: copy, record the intent, place.
extension FleetAgent {
    mutating func deliver(at now: Double) -> [Effect] {
        var effects: [Effect] = []
        if standing.validUntil <= now {
            // Cut off: another worker may deliver the job by now.
            for (token, job) in jobs {
                guard case .preparing(let id, let file) = job.phase else { continue }
                jobs[token]?.phase = .arrived(id, file)
                if let delivery = delivery(of: job) { effects.append(.abandon(delivery)) }
            }
            return effects
        }
        guard standing.allowsDelivery(at: now, lease: configuration.lease) else { return [] }
        for (token, job) in jobs where job.phase == .unseen && job.deliveryDue <= now {
            guard let folder = job.lease.request?.file.folder else { continue }
            jobs[token]?.phase = .looking
            effects.append(.look(job.key, folder: folder, known: job.lease.intents))
        }
        var free = configuration.deliveries
        for job in jobs.values { if case .preparing = job.phase { free -= 1 } }
        guard free > 0 else { return effects }
        let due = jobs.values.filter { job in
            if case .arrived = job.phase { job.deliveryDue <= now } else { false }
        }
        for job in due.sorted(by: { $0.key.job < $1.key.job }).prefix(free) {
            guard case .arrived(let id, let file) = job.phase else { continue }
            var job = job
            lastAttempt += 1
            job.attempt = lastAttempt
            job.phase = .preparing(id, file)
            jobs[job.key.token] = job
            if let delivery = delivery(of: job) { effects.append(.prepare(delivery)) }
        }
        return effects
    }

    mutating func looked(_ key: LeaseKey, _ result: JobResult?) -> [Effect] {
        guard let job = jobs[key.token], job.key == key, job.phase == .looking else { return [] }
        guard let result else { return resumeFetching(key.token) }
        return [.log(.recognized(key.job))] + conclude(key.token, .end(.succeeded(result)))
    }

    mutating func lookFailed(_ key: LeaseKey, _ failure: DeliveryFailure, at now: Double) -> [Effect] {
        guard var job = jobs[key.token], job.key == key, job.phase == .looking else { return [] }
        job.phase = .unseen
        job.deliveryDue = now + job.deliveryDelay
        job.failedDeliveries += 1
        jobs[key.token] = job
        return [.log(.deliveryFailed(key.job, failure.error))]
    }

    /// The job of a delivery, while it is under way.
    private func job(of delivery: Delivery) -> HeldJob? {
        guard let job = jobs[delivery.key.token], job.key == delivery.key, job.attempt == delivery.attempt else {
            return nil
        }
        return job
    }

    mutating func prepared(_ delivery: Delivery, _ file: PreparedFile) -> [Effect] {
        guard let job = job(of: delivery), case .preparing(let id, let local) = job.phase else {
            // Nobody waits for this copy, and no intent names it.
            return [.discard(delivery, and: [])]
        }
        jobs[delivery.key.token]?.phase = .intending(id, local, file)
        outbox.intend(delivery.key.token)
        return []
    }

    mutating func intended(
        _ keys: [LeaseKey], known: [JobToken: [Intent]], stale: Set<LeaseKey>, at now: Double
    ) -> [Effect] {
        var effects: [Effect] = []
        for key in keys {
            outbox.intended(key.token)
            guard let job = jobs[key.token], job.key == key, case .intending(let id, let local, let file) = job.phase,
                let delivery = delivery(of: job)
            else { continue }
            if stale.contains(key) {
                // The lease is gone. The next heartbeat or claim tells whether all are.
                effects += [.log(.stale(key.job)), .remove(forget(key.token)), .discard(delivery, and: [])]
            } else if standing.validUntil > now {
                jobs[key.token]?.phase = .placing(id, local, file)
                effects.append(.place(delivery, file, known: known[key.token] ?? [file.intent]))
            } else {
                // Too late. After the next heartbeat it begins anew.
                jobs[key.token]?.phase = .arrived(id, local)
                effects.append(.discard(delivery, and: []))
            }
        }
        return effects
    }

    mutating func placed(_ delivery: Delivery, _ placement: Placement) -> [Effect] {
        guard let job = job(of: delivery), case .placing(let id, let local, let file) = job.phase else {
            return [.discard(delivery, and: [])]
        }
        let token = delivery.key.token
        switch placement {
        case .renamed(let next):
            jobs[token]?.phase = .intending(id, local, next)
            outbox.intend(token)
            return []
        case .delivered(let result):
            jobs[token]?.phase = .concluding(id, .end(.succeeded(result)))
            outbox.add(token)
            let isOthers =
                !result.isUnchanged && (result.sha256 != file.intent.sha256 || result.path != file.intent.path)
            // The final name keeps the file. Copies of earlier holders are removed once the end is recorded.
            if !job.lease.intents.isEmpty { jobs[token]?.leftover = delivery }
            return (isOthers ? [.log(.recognized(delivery.key.job))] : []) + [.discard(delivery, and: [])]
        }
    }

    mutating func deliveryFailed(_ delivery: Delivery, _ failure: DeliveryFailure, at now: Double) -> [Effect] {
        let discard = Effect.discard(delivery, and: [])
        guard var job = job(of: delivery) else { return [discard] }
        let (id, local): (TransferID, LocalFile)
        switch job.phase {
        case .preparing(let transfer, let file), .placing(let transfer, let file, _): (id, local) = (transfer, file)
        default: return [discard]
        }
        var effects: [Effect] = [.log(.deliveryFailed(delivery.key.job, failure.error))]
        if failure.isTemporary {
            // The bytes wait in the spool for as long as the lease holds.
            job.deliveryDue = now + job.deliveryDelay
            job.failedDeliveries += 1
            job.phase = .arrived(id, local)
            effects.append(discard)
        } else {
            // Not before the end is recorded: until then the copy's inode must not be another file's.
            job.leftover = delivery
            job.phase = .concluding(id, .end(.failed(failure.error)))
            outbox.add(delivery.key.token)
        }
        jobs[delivery.key.token] = job
        return effects
    }
}
