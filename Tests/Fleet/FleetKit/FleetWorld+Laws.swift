import FerryCore
import FerryFleet
import SeedKit

/// The laws of a fleet.
extension FleetWorld {
    /// A law that must hold after every step.
    func brokenLaw() -> String? {
        if let violation = store.violation { return violation }
        if let violation = queue.witness.violation { return violation }
        let limited = queue.leases.values.count { $0.origin == "https://limited.example:443" }
        if limited > 3 { return "\(limited) leases of an origin that allows 3" }
        let received = workers.indices.reduce(0) { count, worker in
            count + workers[worker].transfers.values.count { $0.isLimited && isReceiving($0, worker) }
        }
        // A promoted replica gives places away that are taken.
        if received > 3, !options.forgets { return "\(received) transfers of an origin that allows 3" }
        for (id, lease) in queue.leases {
            guard let row = queue.jobs[id], row.state == .running, row.fence == lease.key.fence else {
                return "a lease of job \(id), which is not running under it"
            }
        }
        for (id, row) in queue.jobs where row.state == .running && queue.leases[id] == nil {
            return "job \(id) is running without a lease"
        }
        return nil
    }

    /// A law that must hold once everything has ended.
    func lawBrokenAtRest() -> String? {
        if !queue.leases.isEmpty { return "leases are left" }
        if !options.forgets, Set(queue.ended.keys) != Set(submitted) { return "jobs are missing" }
        for (id, end) in queue.ended.sorted(by: { $0.key < $1.key }) {
            let places = store.finals.filter { store.contents[$0.value]?.token == end.row.token }.map(\.key).sorted()
            switch end.outcome {
            case .succeeded(let result) where result.isUnchanged:
                if !places.isEmpty { return "job \(id) kept a file, and placed \(places)" }
            case .succeeded(let result):
                guard places == [result.path] else { return "job \(id) says \(result.path), and placed \(places)" }
                let content = store.finals[result.path].flatMap { store.contents[$0] }
                if content?.sha256 != result.sha256 {
                    return "job \(id) says \(result.sha256 ?? "nothing") of \(content?.sha256 ?? "nothing")"
                }
            case .failed(let error) where badAttempts[end.row.token] != nil:
                guard [.serverBusy, .workerLost, .destinationExists].contains(error.code) else {
                    return "job \(id), whose server is always busy, failed with \(error.word)"
                }
                let attempts = badAttempts[end.row.token] ?? 0
                // A worker that is lost tells nobody of its last attempts.
                if error.code == .serverBusy, attempts > 3 + end.row.tries * 2 {
                    return "job \(id) had \(attempts) attempts in \(end.row.tries) tries, and 2 retries"
                }
            case .failed(let error):
                // A forgotten intent is found when the file is placed again, and not before.
                if !places.isEmpty, !options.forgets {
                    return "job \(id) failed with \(error.word), and placed \(places)"
                }
                if error.code == .destinationExists, !store.foreign.contains(end.row.request.path) {
                    return "job \(id) was in its own way"
                }
            case .canceled: return "job \(id) was canceled by nobody"
            }
        }
        if store.brokenForeign { return "somebody else's file was overwritten" }
        return nil
    }
}

/// What happened in a history.
package struct FleetCounts: Hashable, Sendable {
    package var kills = 0
    package var stops = 0
    package var failovers = 0
    package var rescues = 0
    package var stale = 0
    package var recognized = 0
    /// Jobs about which the queue has refused something.
    package var refusals = 0
    package var storeLosses = 0
    /// Jobs given back because of a store.
    package var storeReturns = 0

    package init() {}

    mutating func note(_ event: FleetAgent.Event) {
        switch event {
        case .rescued(let rescue): rescues += rescue.jobs
        case .stale: stale += 1
        case .recognized: recognized += 1
        case .returned(_, .store): storeReturns += 1
        default: break
        }
    }

    package mutating func add(_ other: FleetCounts) {
        kills += other.kills
        stops += other.stops
        failovers += other.failovers
        rescues += other.rescues
        stale += other.stale
        recognized += other.recognized
        refusals += other.refusals
        storeLosses += other.storeLosses
        storeReturns += other.storeReturns
    }
}

/// A worker's session in its daemon.
struct SimulatedSession: Sendable {
    /// Retries that are left of its transfers.
    var retries: [TransferID: Int] = [:]
    /// When its lease ends.
    var leasedUntil = -Double.infinity
}

/// A worker of the simulation: its process, and its machine with the daemon.
package struct SimulatedWorker: Sendable {
    let name: String
    var machine: Int
    var boot = 0
    /// The agent, unless its process is dead.
    var agent: FleetAgent?
    /// Number of the agent's process. Whatever belongs to an earlier one counts for nothing.
    var life = 0
    var alarm = 0
    var stoppedUntil = -Double.infinity
    var cutOffUntil = -Double.infinity
    var isDaemonUp = true
    /// Number of the daemon's journal.
    var machineLife = 0
    var lastTransfer: UInt64 = 0
    var transfers: [TransferID: LocalTransfer] = [:]
    var session = SimulatedSession()
    /// Versions of the files in the spool, by path.
    var contents: [String: Int] = [:]
    /// Names of copies that are being written.
    var copying: Set<String> = []

    init(name: String, machine: Int) {
        self.name = name
        self.machine = machine
    }

    var identity: String { "machine \(machine)/boot \(boot)" }
    var locals: [LocalTransfer] { transfers.values.sorted { $0.id < $1.id } }
    var summary: String {
        "\(name): \(agent?.heldJobs.map { "\($0.reference.job) \($0.step)" } ?? ["dead"]), \(transfers.count) transfers"
    }
}

extension SplitMix {
    mutating func seconds(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &self) }
    mutating func chance(_ probability: Double) -> Bool { seconds(0...1) < probability }
    mutating func index(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self) }
}
