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
                effects.append(.abandon(job.key))
            }
            return effects
        }
        guard standing.allowsDelivery(at: now, lease: configuration.lease) else { return [] }
        var free = configuration.deliveries
        for job in jobs.values { if case .preparing = job.phase { free -= 1 } }
        guard free > 0 else { return [] }
        let due = jobs.values.filter { job in
            if case .arrived = job.phase { job.deliveryDue <= now } else { false }
        }
        for job in due.sorted(by: { $0.key.job < $1.key.job }).prefix(free) {
            guard case .arrived(let id, let file) = job.phase, let delivery = job.delivery else { continue }
            jobs[job.key.token]?.phase = .preparing(id, file)
            effects.append(.prepare(delivery))
        }
        return effects
    }

    mutating func prepared(_ key: LeaseKey, _ file: PreparedFile) {
        guard let job = jobs[key.token], job.key == key, case .preparing(let id, let local) = job.phase else { return }
        jobs[key.token]?.phase = .intending(id, local, file)
        outbox.intend(key.token)
    }

    mutating func intended(
        _ keys: [LeaseKey], known: [JobToken: [Intent]], stale: Set<LeaseKey>, at now: Double
    ) -> [Effect] {
        var effects: [Effect] = []
        for key in keys {
            outbox.intended(key.token)
            guard let job = jobs[key.token], job.key == key, case .intending(let id, let local, let file) = job.phase,
                let delivery = job.delivery
            else { continue }
            if stale.contains(key) {
                // The lease is gone. The next heartbeat or claim tells whether all are.
                jobs[key.token] = nil
                outbox.forget(key.token)
                effects += [.log(.stale(key.job)), .remove([id]), .discard(delivery, ofEarlier: false)]
            } else if standing.validUntil > now {
                jobs[key.token]?.phase = .placing(id, local, file)
                effects.append(.place(delivery, file, known: known[key.token] ?? [file.intent]))
            } else {
                // Too late. After the next heartbeat it begins anew.
                jobs[key.token]?.phase = .arrived(id, local)
            }
        }
        return effects
    }

    mutating func placed(_ key: LeaseKey, _ placement: Placement) -> [Effect] {
        guard let job = jobs[key.token], job.key == key, case .placing(let id, let local, let file) = job.phase,
            let delivery = job.delivery
        else { return [] }
        switch placement {
        case .renamed(let next):
            jobs[key.token]?.phase = .intending(id, local, next)
            outbox.intend(key.token)
            return []
        case .delivered(let result):
            jobs[key.token]?.phase = .concluding(id, .end(.succeeded(result)))
            outbox.add(key.token)
            let isOthers =
                !result.isUnchanged && (result.sha256 != file.intent.sha256 || result.path != file.intent.path)
            // The final name keeps the file. Copies of earlier holders are removed once the end is recorded.
            if job.lease.tries > 1 { jobs[key.token]?.leftover = delivery }
            return (isOthers ? [.log(.recognized(key.job))] : []) + [.discard(delivery, ofEarlier: false)]
        }
    }

    mutating func deliveryFailed(_ key: LeaseKey, _ failure: DeliveryFailure, at now: Double) -> [Effect] {
        guard let job = jobs[key.token], job.key == key else { return [] }
        let (id, local): (TransferID, LocalFile)
        switch job.phase {
        case .preparing(let transfer, let file), .placing(let transfer, let file, _): (id, local) = (transfer, file)
        default: return []
        }
        let effects: [Effect] = [.log(.deliveryFailed(key.job, failure.error))]
        if failure.isTemporary {
            // The bytes wait in the spool for as long as the lease holds.
            jobs[key.token]?.failedDeliveries += 1
            jobs[key.token]?.deliveryDue = now + min(60, Double(1 << min(job.failedDeliveries, 6)))
            jobs[key.token]?.phase = .arrived(id, local)
        } else {
            // Not before the end is recorded: until then the copy's inode must not be another file's.
            jobs[key.token]?.leftover = job.delivery
            jobs[key.token]?.phase = .concluding(id, .end(.failed(failure.error)))
            outbox.add(key.token)
        }
        return effects
    }
}
