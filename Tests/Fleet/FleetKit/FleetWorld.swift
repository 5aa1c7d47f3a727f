import FerryCore
package import FerryFleet
import FerryFoundation
import SeedKit

/// A fleet in one value: workers with their daemons, a queue and a store, under a seed. Time is virtual.
///
/// Every effect of an agent takes some time, and at any moment processes are killed or stopped, machines rebooted or lost,
/// answers lost, and the database is away, or replaced by a replica that forgot the last commits.
package struct FleetWorld: Sendable {
    package struct Options: Sendable {
        package var workers = 5
        package var jobs = 40
        /// Seconds with faults. Afterwards everything must come to rest.
        package var faultyTime = 120.0
        package var lease = 10.0
        /// Whether fail-overs may forget commits.
        package var forgets = false
        /// Whether some sources never end well, and the store goes away at times.
        package var hasTroubles = true

        package init() {}
    }

    /// Something that happens at a time.
    enum Happening: Sendable {
        case input(worker: Int, life: Int, FleetAgent.Input)
        case call(worker: Int, life: Int, WorkerCall, Membership?)
        /// A step that the agent's process performs itself, so that it is delayed while the process is stopped.
        case step(worker: Int, life: Int, FleetAgent.Effect)
        case alarm(worker: Int, life: Int, number: Int)
        case fetched(worker: Int, machine: Int, TransferID)
        case start(worker: Int)
        case listDaemon(worker: Int, life: Int)
        case fault
        case snapshot
    }

    private struct Entry: Sendable {
        var time: Double
        var number: Int
        var happening: Happening
    }

    package let options: Options
    package internal(set) var now = 1000.0
    package var queue = MemoryQueue()
    package internal(set) var store = MemoryStore()
    package internal(set) var counts = FleetCounts()
    package internal(set) var workers: [SimulatedWorker] = []
    var random: SplitMix
    var downUntil = -Double.infinity
    var storeAwayUntil = -Double.infinity
    /// Attempts so far of the jobs whose sources never end well.
    var badAttempts: [JobToken: Int] = [:]
    private var entries: [Entry] = []
    private var lastNumber = 0
    /// A replica that lags behind the queue.
    var replica: MemoryQueue?
    /// Current version of each job's source.
    var versions: [JobToken: Int] = [:]
    /// Jobs whose submission a fail-over forgot.
    package var submitted: [JobID] = []

    package init(seed: UInt64, options: Options = Options(), mistake: MemoryQueue.Mistake? = nil) {
        self.options = options
        random = SplitMix(seed: seed)
        queue.mistake = mistake
        store.mistake = mistake
    }

    // MARK: Running

    mutating func schedule(_ happening: Happening, after delay: Double) {
        lastNumber += 1
        let entry = Entry(time: now + delay, number: lastNumber, happening: happening)
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            // The next entry is the last.
            if (entries[middle].time, entries[middle].number) > (entry.time, entry.number) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        entries.insert(entry, at: low)
    }

    /// Runs a whole history and returns the broken law, if any.
    package mutating func run() -> String? {
        try? queue.setStore(Store(name: "results", folder: "/srv/results", mark: "m"))
        let limited = Origin(scheme: "https", host: "limited.example", port: 443)
        queue.setOrigin(limited, atOnce: 3)
        submit()
        for number in 0..<options.workers {
            workers.append(SimulatedWorker(name: "w\(number)", machine: number))
            schedule(.start(worker: number), after: random.seconds(0...2))
        }
        schedule(.fault, after: 1)
        schedule(.snapshot, after: 0.5)
        let quietFrom = now + options.faultyTime
        let limit = quietFrom + 40 * options.lease + 600
        while let entry = entries.popLast() {
            now = entry.time
            perform(entry.happening, isQuiet: now >= quietFrom)
            if let broken = brokenLaw() { return "at \(now): \(broken)" }
            if now >= quietFrom, isAtRest { return lawBrokenAtRest() }
            if now > limit { return "no rest: \(queue.jobs.count) jobs are unfinished, \(workers.map(\.summary))" }
        }
        return "nothing happens any more"
    }

    private mutating func submit() {
        var requests: [JobRequest] = []
        for number in 1...options.jobs {
            let host = number % 4 == 0 ? "limited.example" : "host\(number % 3).example"
            var transfer = TransferRequest(url: "https://\(host)/\(number)", folder: "/srv/results")
            transfer.file.name = "file-\(number)"
            transfer.file.onConflict = [.fail, .unique, .replace, .skip][number % 4]
            if options.hasTroubles, number % 9 == 5 { transfer.timing.retries = 2 }
            requests.append(JobRequest(transfer: transfer))
            // Somebody else's file is in the way.
            if number % 7 == 0 { store.addForeign("/srv/results/file-\(number)") }
        }
        submitted = queue.submit(requests, at: now, using: &random).compactMap(\.id)
        for row in queue.jobs.values {
            versions[row.token] = 1
            if row.request.transfer.timing.retries != nil { badAttempts[row.token] = 0 }
        }
    }

    private var isAtRest: Bool {
        queue.jobs.isEmpty
            && workers.allSatisfy { $0.agent != nil && $0.transfers.isEmpty && $0.agent?.heldJobs.isEmpty == true }
    }

    mutating func perform(_ happening: Happening, isQuiet: Bool) {
        switch happening {
        case .input(let worker, let life, let input):
            guard isRunning(worker, life, or: happening) else { return }
            take([input], worker)
        case .call(let worker, let life, let call, let member): answer(call, member, worker, life, isQuiet: isQuiet)
        case .step(let worker, let life, let effect):
            guard isRunning(worker, life, or: happening) else { return }
            step(effect, worker, life)
        case .alarm(let worker, let life, let number):
            guard isRunning(worker, life, or: happening), workers[worker].alarm == number else { return }
            take([.alarm], worker)
        case .fetched(let worker, let machine, let id):
            if workers[worker].machineLife == machine { fetched(id, worker) }
        case .start(let worker): start(worker)
        case .listDaemon(let worker, let life):
            guard isRunning(worker, life, or: happening) else { return }
            workers[worker].isDaemonUp = true
            take([.listed(workers[worker].locals)], worker)
        case .fault:
            if !isQuiet {
                fault()
                schedule(.fault, after: random.seconds(0.2...4))
            } else {
                workers.indices.forEach { workers[$0].stoppedUntil = min(workers[$0].stoppedUntil, now) }
            }
        case .snapshot:
            replica = queue
            schedule(.snapshot, after: random.seconds(0.5...3))
        }
    }

    /// Whether the process lives and is not stopped. A stopped one goes on later.
    private mutating func isRunning(_ worker: Int, _ life: Int, or happening: Happening) -> Bool {
        guard workers[worker].life == life, workers[worker].agent != nil else { return false }
        if workers[worker].stoppedUntil > now {
            schedule(happening, after: workers[worker].stoppedUntil - now + 0.001)
            return false
        }
        return true
    }

    mutating func take(_ inputs: [FleetAgent.Input], _ worker: Int) {
        guard var agent = workers[worker].agent else { return }
        workers[worker].agent = nil
        let effects = agent.take(inputs, at: now)
        workers[worker].agent = agent
        for effect in effects { perform(effect, worker) }
    }
}
