import FerryCore
import FerryFleet
import FerryFoundation

/// Effects of agents, and faults.
extension FleetWorld {
    mutating func perform(_ effect: FleetAgent.Effect, _ worker: Int) {
        let life = workers[worker].life
        switch effect {
        case .call(let call, let member):
            schedule(.call(worker: worker, life: life, call, member), after: random.seconds(0.001...0.05))
        case .prepare(let delivery):
            workers[worker].copying.insert(delivery.copyName)
            schedule(.step(worker: worker, life: life, effect), after: random.seconds(0.01...1))
        case .abandon(let delivery):
            guard workers[worker].copying.remove(delivery.copyName) != nil else { return }
            let failure = DeliveryFailure(ServiceError(.canceled, "stopped"), isTemporary: true)
            schedule(.input(worker: worker, life: life, .deliveryFailed(delivery, failure)), after: 0.001)
        case .place:
            // A file system that hangs for a while.
            let isSlow = random.chance(0.1)
            schedule(
                .step(worker: worker, life: life, effect),
                after: random.seconds(0.001...0.2) * (isSlow ? 10 * options.lease : 1))
        case .submit, .remove, .look, .discard, .limit, .renew:
            schedule(.step(worker: worker, life: life, effect), after: random.seconds(0.001...0.2))
        case .hold: break
        case .setAlarm(let time):
            workers[worker].alarm += 1
            schedule(.alarm(worker: worker, life: life, number: workers[worker].alarm), after: max(0, time - now))
        case .log(let event): counts.note(event)
        case .exit:
            workers[worker].agent = nil
            schedule(.start(worker: worker), after: random.seconds(1...5))
        }
    }

    /// What the agent's process does itself.
    mutating func step(_ effect: FleetAgent.Effect, _ worker: Int, _ life: Int) {
        switch effect {
        case .submit(let leases):
            func lose() {
                // The list is read at once, and arrives after other events.
                let tokens = Set(leases.map(\.key.token))
                let found = workers[worker].locals.filter { tokens.contains($0.job.token) }
                let lost = FleetAgent.Input.submissionLost(leases.map(\.key.token), found)
                schedule(.input(worker: worker, life: life, lost), after: random.seconds(0.001...20))
                schedule(.listDaemon(worker: worker, life: life), after: random.seconds(0.1...1))
            }
            guard workers[worker].isDaemonUp else { return lose() }
            var ids: [JobToken: TransferID] = [:]
            for lease in leases {
                workers[worker].lastTransfer += 1
                let id = TransferID(rawValue: workers[worker].lastTransfer)
                let job = JobReference(job: lease.key.job, token: lease.key.token)
                let local = LocalTransfer(
                    id: id, job: job, state: .active(received: 0, expected: nil), isLimited: lease.isLimited)
                workers[worker].transfers[id] = local
                workers[worker].session.retries[id] = lease.limited()?.timing.retries
                ids[lease.key.token] = id
                schedule(
                    .fetched(worker: worker, machine: workers[worker].machineLife, id), after: random.seconds(0.1...12))
            }
            // The daemon may die after it has stored them.
            if random.chance(0.03) { return lose() }
            // Small files are there before the answer.
            if random.chance(0.1) {
                for id in ids.values.sorted() { fetched(id, worker, after: 0) }
            }
            take([.submitted(ids)], worker)
        case .remove(let ids):
            for id in ids { workers[worker].transfers[id] = nil }
            take(ids.map { .removed($0) }, worker)
        case .limit(let id, _):
            guard workers[worker].isDaemonUp, var local = workers[worker].transfers[id] else { return }
            local.isLimited = true
            workers[worker].transfers[id] = local
            schedule(.input(worker: worker, life: life, .changed(local)), after: 0.002)
        case .renew(let end):
            guard workers[worker].isDaemonUp else { return }
            workers[worker].session.leasedUntil = max(workers[worker].session.leasedUntil, end)
        case .look(let look) where storeAwayUntil > now: take([.lookFailed(look.key, Self.away)], worker)
        case .prepare(let delivery) where storeAwayUntil > now:
            guard workers[worker].copying.remove(delivery.copyName) != nil else { return }
            take([.deliveryFailed(delivery, Self.away)], worker)
        case .place(let delivery, _, _) where storeAwayUntil > now: take([.deliveryFailed(delivery, Self.away)], worker)
        case .look(let look):
            switch store.look(look) {
            case .success(let result): take([.looked(look.key, result)], worker)
            case .failure(let failure): take([.lookFailed(look.key, failure)], worker)
            }
        case .prepare(let delivery):
            guard workers[worker].copying.remove(delivery.copyName) != nil else { return }
            let version = workers[worker].contents[delivery.file.path] ?? 0
            let file = store.prepare(
                delivery, by: workers[worker].identity,
                content: FileContent(token: delivery.key.token, version: version))
            take([.prepared(delivery, file)], worker)
        case .place(let delivery, let file, let known):
            let result = store.place(file, of: delivery, known: known)
            switch result {
            case .success(let placement): take([.placed(delivery, placement)], worker)
            case .failure(let failure): take([.deliveryFailed(delivery, failure)], worker)
            }
        case .discard(let delivery, let earlier): store.discard(delivery, and: earlier)
        default: break
        }
    }

    private static let away = DeliveryFailure(
        ServiceError(.destinationUnwritable, "The store is not mounted."), isTemporary: true)

    /// Whether a daemon fetches a transfer: one from a limited origin needs the lease of its session.
    func isReceiving(_ local: LocalTransfer, _ worker: Int) -> Bool {
        local.isActive
            && (!local.isLimited || workers[worker].session.leasedUntil > now || queue.mistake == .noSessionLeases)
    }

    /// The daemon has fetched a file, or failed to.
    mutating func fetched(_ id: TransferID, _ worker: Int, after delay: Double = 0.002) {
        guard var local = workers[worker].transfers[id], local.isActive else { return }
        guard isReceiving(local, worker) else {
            return schedule(.fetched(worker: worker, machine: workers[worker].machineLife, id), after: 0.5)
        }
        if let attempts = badAttempts[local.job.token] {
            // A server that is always busy: the daemon ends the transfer once its retries are used up.
            var error = ServiceError(.serverBusy, "busy")
            error.details.attempts = 1
            let isLast = workers[worker].session.retries[id] == 0
            local.state = isLast ? .failed(error) : .waiting(seconds: 90, received: 0, error: error)
            badAttempts[local.job.token] = attempts + 1
        } else if random.chance(0.03) {
            local.state = .failed(ServiceError(.notFound, "not there"))
        } else if random.chance(0.03) {
            local.state = .failed(ServiceError(.diskIO, "the disk fails"))
        } else if random.chance(0.03) {
            local.state = .waiting(seconds: 90, received: 0, error: ServiceError(.serverBusy, "busy"))
        } else {
            let path = "/spool/\(worker)/\(workers[worker].machineLife)/\(id)"
            workers[worker].contents[path] = versions[local.job.token] ?? 1
            local.state = .succeeded(LocalFile(path: path, size: random.chance(0.2) ? 20 << 20 : 1000))
        }
        workers[worker].transfers[id] = local
        guard workers[worker].isDaemonUp, workers[worker].agent != nil else { return }
        if delay == 0 { return take([.changed(local)], worker) }
        schedule(.input(worker: worker, life: workers[worker].life, .changed(local)), after: delay)
    }

    /// A call arrives at the database.
    mutating func answer(_ call: WorkerCall, _ member: Membership?, _ worker: Int, _ life: Int, isQuiet: Bool) {
        // A stopped process sends it when it goes on.
        if workers[worker].life == life, workers[worker].stoppedUntil > now {
            let rest = workers[worker].stoppedUntil - now + 0.0005
            return schedule(.call(worker: worker, life: life, call, member), after: rest)
        }
        // The network holds it up: the worker gives the call up before it arrives.
        if !isQuiet, life >= 0, random.chance(0.02) {
            schedule(.call(worker: worker, life: -1, call, member), after: random.seconds(0.1...2) * options.lease)
            let lost = FleetAgent.Input.callFailed(ServiceError(.queueUnreachable, "The database does not answer."))
            return schedule(.input(worker: worker, life: life, lost), after: random.seconds(0.1...1))
        }
        let unreachable = ServiceError(.queueUnreachable, "The database does not answer.")
        let (input, delay): (FleetAgent.Input, Double)
        if downUntil > now || workers[worker].cutOffUntil > now {
            (input, delay) = (.callFailed(unreachable), random.seconds(0.1...8))
        } else {
            do throws(ServiceError) {
                let answer = try answer(call, member, isQuiet: isQuiet)
                let isLost = !isQuiet && random.chance(0.03)
                (input, delay) = (isLost ? .callFailed(unreachable) : .answered(answer), random.seconds(0.001...0.05))
            } catch {
                (input, delay) = (.callFailed(error), random.seconds(0.001...0.05))
            }
        }
        schedule(.input(worker: worker, life: life, input), after: delay)
    }

    /// The queue's answer, which refuses some jobs at times.
    private mutating func answer(
        _ call: WorkerCall, _ member: Membership?, isQuiet: Bool
    ) throws(ServiceError) -> WorkerAnswer {
        let mayRefuse = !isQuiet && random.chance(0.06)
        let refused = mayRefuse ? call.keys.filter { _ in random.chance(0.4) } : []
        let answer = try queue.perform(call.without(Set(refused)), as: member, at: now)
        guard !refused.isEmpty, answer != .givenUp else { return answer }
        counts.refusals += refused.count
        return .except(refused, ServiceError(.queueUnsuitable, "A trigger says no."), answer)
    }

    mutating func start(_ worker: Int) {
        guard workers[worker].agent == nil else { return }
        workers[worker].life += 1
        workers[worker].copying = []
        workers[worker].stoppedUntil = -.infinity
        let described = WorkerDescription(
            name: workers[worker].name, identity: workers[worker].identity, version: "1", lease: options.lease, slots: 4
        )
        let configuration = FleetAgent.Configuration(worker: described, mostAhead: 4, poll: 2)
        workers[worker].agent = FleetAgent(configuration, seed: random.next())
        take([.started], worker)
        // A daemon that must be started first, or is busy.
        let isSlow = random.chance(0.3)
        schedule(
            .listDaemon(worker: worker, life: workers[worker].life),
            after: random.seconds(isSlow ? 0.1...5 : 0.01...0.5))
    }

    /// One fault of a random kind.
    mutating func fault() {
        let worker = random.index(workers.count)
        switch random.index(options.hasTroubles ? 13 : 12) {
        case 12:
            counts.storeLosses += 1
            storeAwayUntil = now + random.seconds(0.5...4) * options.lease
        case 0, 1, 2: killAgent(worker)
        case 3, 4:
            counts.stops += 1
            workers[worker].stoppedUntil = now + random.seconds(0.1...3) * options.lease
        case 5:
            // A reboot: the daemon's journal and spool stay.
            killAgent(worker)
            workers[worker].boot += 1
            workers[worker].session.leasedUntil = -.infinity
        case 6:
            // The machine is lost. Another takes its place and its name.
            killAgent(worker)
            workers[worker].machine += 100
            workers[worker].machineLife += 1
            workers[worker].transfers = [:]
            workers[worker].session.leasedUntil = -.infinity
        case 7: workers[worker].cutOffUntil = now + random.seconds(0.5...2) * options.lease
        case 8:
            if downUntil < now, random.chance(0.3) {
                let length = random.seconds(0.1...3) * options.lease
                downUntil = now + length
                // Shorter ones make nobody miss a heartbeat.
                if length > options.lease / 2 { queue.witness.outageEnd = downUntil }
            }
        case 9:
            guard workers[worker].isDaemonUp, workers[worker].agent != nil else { return }
            workers[worker].isDaemonUp = false
            workers[worker].session.leasedUntil = -.infinity
            take([.daemonLost], worker)
            schedule(.listDaemon(worker: worker, life: workers[worker].life), after: random.seconds(0.1...2))
        case 10:
            // A source has another version now. What is fetched already stays as it is.
            for token in versions.keys.sorted() where random.chance(0.3) {
                versions[token, default: 1] += 1
            }
        default:
            guard options.forgets, random.chance(0.2), var promoted = replica else { return }
            counts.failovers += 1
            let timeline = Int(queue.server.split(separator: "/").last ?? "1") ?? 1
            promoted.server = "memory/\(timeline + 1)"
            promoted.mistake = queue.mistake
            promoted.witness.outageEnd = queue.witness.outageEnd
            queue = promoted
        }
    }

    private mutating func killAgent(_ worker: Int) {
        guard workers[worker].agent != nil else { return }
        counts.kills += 1
        workers[worker].agent = nil
        schedule(.start(worker: worker), after: random.seconds(0.05...2) * options.lease)
    }
}

extension LocalTransfer {
    var isActive: Bool {
        switch state {
        case .active: true
        case .waiting, .suspended, .succeeded, .failed, .canceled: false
        }
    }
}
