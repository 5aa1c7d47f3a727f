import FerryCore
package import FerryFleet
import FerryFoundation

/// The shared queue as a value in memory, with a clock that its caller holds.
///
/// Behaves as the functions of the schema `ferry` do; both pass the same suite.
package struct MemoryQueue: Sendable {
    package struct Row: Sendable {
        package var token: JobToken
        package var request: JobRequest
        package var line: Line
        package var state: JobState
        package var fence: Int32 = 0
        package var tries = 0
        package var rescues = 0
        package var readyAt: Double?
        package var reason: String?
        package var createdAt: Double
        package var history: [Job.Try] = []
        /// Failed attempts of its claims, the first failed return, and the first claim.
        package var attempts = 0
        package var failingAt: Double?
        package var startedAt: Double?
    }

    package enum JobState: Sendable { case waiting, running, delayed, paused }

    package struct Line: Hashable, Sendable {
        package var origin: String
        package var needs: String
    }

    package struct LeaseRow: Sendable {
        package var key: LeaseKey
        package var worker: Int32
        package var epoch: Int32
        package var origin: String?
        package var wish: Wish = .none
        /// A job with which workers were lost is being fetched.
        package var isBegun = false
        package var progress: JobProgress?
    }

    package enum Wish: Sendable { case none, cancel, pause, remove }

    package struct Worker: Sendable {
        package var number: Int32
        package var description: WorkerDescription
        package var epoch: Int32 = 0
        package var isGone = true
        /// Seconds of a drain, or `nil` unless draining.
        package var patience: Double?
        package var aliveUntil = -Double.infinity
        package var beatingSince = -Double.infinity
        package var beatAt = -Double.infinity
        package var contender: (identity: String, since: Double)?
        package var report = WorkerReport()
        package var rescued = 0
    }

    package struct Ended: Sendable {
        package var row: Row
        package var outcome: JobOutcome
        package var worker: String?
        package var at: Double
        /// Position in the order of ends.
        package var number: Int
    }

    struct OriginRow: Sendable {
        var atOnce: Int?
        var holdUntil = -Double.infinity
    }

    /// Identifies the database. Changes after a fail-over.
    package var server = "memory/1"
    package internal(set) var jobs: [JobID: Row] = [:]
    package internal(set) var ended: [JobID: Ended] = [:]
    package internal(set) var leases: [JobID: LeaseRow] = [:]
    package internal(set) var intents: [JobID: [Intent]] = [:]
    package internal(set) var workers: [String: Worker] = [:]
    package internal(set) var stores: [Store] = []
    package internal(set) var keptFor = 30.0 * 86_400
    /// The last turn of each line.
    var lines: [Line: Int] = [:]
    var origins: [String: OriginRow] = [:]
    var witness = Witness()
    /// A deliberate mistake, which the simulation must find.
    package var mistake: Mistake?
    var lastID: Int64 = 0
    var lastTurn = 0
    var lastEnd = 0

    package init() {}

    /// Knows who held what, apart from the rows, to check the queue by.
    struct Witness: Sendable {
        /// The last holder of each job.
        var holders: [JobID: (key: LeaseKey, worker: Int32)] = [:]
        /// When the database was last away.
        var outageEnd = -Double.infinity
        /// A fenced call that was performed although its worker did not hold the job, or a worker that was given up before
        /// it had the time to send a heartbeat.
        var violation: String?
        /// Running jobs by origin, as a counter. Only of a mistake.
        var counters: [String: Int] = [:]
    }

    /// Deliberate mistakes of a queue or a store.
    package enum Mistake: String, CaseIterable, Sendable {
        /// Calls of workers are performed whatever fence they name.
        case noFence
        /// A fence counts in any epoch of its worker.
        case fenceWithoutEpoch
        /// Limits count in a counter, which a lost worker does not give back.
        case countersInPlaceOfLeases
        /// Workers are given up as soon as the database is back.
        case rescueAfterOutage
        /// A worker's second life leaves the leases of the first to nobody.
        case orphanedLeases
        /// An earlier holder can still place its copy, and an end tells the facts of the last copy, whichever is placed.
        case factsOfTheLoser
        /// Daemons go on with transfers from limited origins after the lease of their session.
        case noSessionLeases
    }

    // MARK: Helpers

    func worker(_ member: Membership) -> Worker? {
        workers.values.first { $0.number == member.worker && $0.epoch == member.epoch }
    }

    /// Ends jobs that have no lease.
    mutating func retire(_ id: JobID, _ outcome: JobOutcome, worker: String?, at now: Double) {
        guard let row = jobs.removeValue(forKey: id) else { return }
        intents[id] = nil
        lastEnd += 1
        ended[id] = Ended(row: row, outcome: outcome, worker: worker, at: now, number: lastEnd)
    }

    mutating func forget(_ id: JobID) {
        jobs[id] = nil
        intents[id] = nil
    }

    /// Returns a job whose lease was deleted, or ends it as its user wished.
    mutating func restore(
        _ lease: LeaseRow, as state: JobState, delay: Double, reason: String?, worker: String, at now: Double
    ) {
        let id = lease.key.job
        switch lease.wish {
        case .cancel: retire(id, .canceled, worker: worker, at: now)
        case .remove: forget(id)
        case .none, .pause:
            let state = lease.wish == .pause ? .paused : state
            jobs[id]?.state = state
            jobs[id]?.readyAt = state == .delayed ? now + delay : nil
            jobs[id]?.reason = reason
        }
    }

    /// Deletes the leases of a worker that was given up or left. Returns their number.
    mutating func release(_ worker: Worker, reason: String, at now: Double) -> Int {
        let gone = leases.values.filter { $0.worker == worker.number }.sorted { $0.key.job < $1.key.job }
        for lease in gone {
            let id = lease.key.job
            leases[id] = nil
            note(id, lease.key.fence, worker.description.name, reason, nil, now)
            let rescues = jobs[id]?.rescues ?? 0
            if reason == "rescued", rescues < 2 || lease.isBegun {
                jobs[id]?.rescues = rescues + 1
                if let row = jobs[id], row.rescues >= 3, intents[id] == nil, lease.wish == .none || lease.wish == .pause
                {
                    let names = Set(row.history.filter { $0.reason == "rescued" }.map(\.worker)).sorted()
                    let error = ServiceError(
                        .workerLost,
                        "Three workers in a row were lost with this job: \(names.joined(separator: ", ")). `ferry fleet retry \(id)` tries again."
                    )
                    retire(id, .failed(error), worker: worker.description.name, at: now)
                    continue
                }
            }
            restore(lease, as: .waiting, delay: 0, reason: nil, worker: worker.description.name, at: now)
        }
        return gone.count
    }

    mutating func note(
        _ id: JobID, _ fence: Int32, _ worker: String, _ reason: String, _ error: ServiceError?, _ now: Double
    ) {
        guard jobs[id]?.history.contains(where: { $0.fence == fence }) == false else { return }
        let done = Job.Try(
            fence: fence, worker: worker, reason: reason, error: error, endedAt: Date(timeIntervalSince1970: now))
        jobs[id]?.history.append(done)
    }

    func isStanding(_ key: LeaseKey, _ member: Membership) -> Bool {
        guard let lease = leases[key.job] else { return false }
        if mistake == .noFence { return lease.key.token == key.token }
        if mistake == .fenceWithoutEpoch { return lease.key == key && lease.worker == member.worker }
        return lease.key == key && lease.worker == member.worker && lease.epoch == member.epoch
    }

    func lease(_ id: JobID, at now: Double) -> Lease? {
        guard let row = jobs[id], let lease = leases[id] else { return nil }
        return Lease(
            key: lease.key, tries: row.tries, rescues: row.rescues, isLimited: origins[row.line.origin]?.atOnce != nil,
            hasLanded: origins[row.line.origin]?.atOnce != nil && lease.origin == nil, request: row.request.transfer,
            path: row.request.path, origin: row.line.origin, intents: intents[id] ?? [],
            spent: Spent(
                attempts: row.attempts, failing: row.failingAt.map { now - $0 },
                sinceStart: row.startedAt.map { now - $0 },
                machineFailures: row.history.count { $0.reason == "local" || $0.reason == "store" }))
    }

    func running(of origin: String) -> Int {
        if mistake == .countersInPlaceOfLeases { return witness.counters[origin] ?? 0 }
        return leases.values.count { $0.origin == origin }
    }
}
