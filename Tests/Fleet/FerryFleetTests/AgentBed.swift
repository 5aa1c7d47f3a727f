import FerryCore
import FerryFleet

/// An agent with a queue that has no jobs to claim. Its calls are answered one by one.
@dynamicMemberLookup struct AgentBed {
    /// The agent's effects and calls so far.
    struct Record {
        var removed: [TransferID] = []
        var returned: [JobReturn] = []
        var ended: [JobEnd] = []
        var submitted: [Lease] = []
        var begun: [LeaseKey] = []
        var looks: [Look] = []
        var prepared: [Delivery] = []
        var holds: [[Heartbeat.Hold]] = []
        var renewals: [Double] = []
        var limited: [TransferID] = []
        var abandoned: [Delivery] = []
        var reports: [WorkerReport] = []
        var claims = 0
        /// Calls other than heartbeats.
        var otherCalls = 0
        var hasExited = false
    }

    static let key = LeaseKey(job: JobID(7), token: JobToken(high: 1, low: 2), fence: 1)

    var agent: FleetAgent
    /// The leases that a join adopts.
    var leases: [Lease] = []
    private var record = Record()
    var heartbeat = Heartbeat(server: "s")
    var now = 0.1
    /// The call in flight. Answered by ``answerCalls()``.
    private(set) var call: WorkerCall?

    private let listens: Bool
    /// Jobs whose ends the queue refuses.
    var refused: Set<LeaseKey> = []

    init(slots: Int = 4, listens: Bool = false) {
        self.listens = listens
        let worker = WorkerDescription(name: "w", identity: "i", version: "1", lease: 30, slots: slots)
        agent = FleetAgent(FleetAgent.Configuration(worker: worker), seed: 1)
    }

    /// A worker that holds these jobs and has looked at nothing yet.
    static func with(_ leases: Lease...) -> AgentBed {
        var bed = AgentBed()
        bed.leases = leases
        bed.take(.started)
        bed.take(.listed([]))
        bed.answerCalls()
        return bed
    }

    static func lease(
        _ key: LeaseKey = key, policy: ConflictPolicy = .fail, intents: [Intent] = [], rescues: Int = 0,
        tries: Int = 1, spent: Spent = Spent(), isLimited: Bool = false,
        _ change: (inout TransferRequest) -> Void = { _ in }
    ) -> Lease {
        var request = TransferRequest(url: "https://example.org/file", folder: "/srv")
        request.file.name = "file"
        request.file.onConflict = policy
        change(&request)
        return Lease(
            key: key, tries: tries, rescues: rescues, isLimited: isLimited, request: request, path: "/srv/file",
            origin: "https://example.org:443", intents: intents, spent: spent)
    }

    static func key(_ number: Int64) -> LeaseKey {
        LeaseKey(job: JobID(number), token: JobToken(high: 1, low: UInt64(number)), fence: 1)
    }

    subscript<Value>(dynamicMember path: KeyPath<Record, Value>) -> Value { record[keyPath: path] }

    /// The daemon's transfer of a job.
    func transfer(_ state: LocalTransfer.State, of key: LeaseKey = key) -> LocalTransfer {
        LocalTransfer(
            id: TransferID(rawValue: UInt64(key.job.rawValue)), job: JobReference(job: key.job, token: key.token),
            state: state)
    }

    mutating func take(_ input: FleetAgent.Input) {
        for effect in agent.take([input], at: now) { perform(effect) }
    }

    private mutating func perform(_ effect: FleetAgent.Effect) {
        switch effect {
        case .call(let next, _):
            call = next
            note(next)
        case .submit(let leases): record.submitted += leases
        case .look(let look): record.looks.append(look)
        case .prepare(let delivery): record.prepared.append(delivery)
        case .hold(let all): record.holds.append(all)
        case .limit(let id, _): record.limited.append(id)
        case .renew(let end): record.renewals.append(end)
        case .abandon(let delivery): record.abandoned.append(delivery)
        case .exit: record.hasExited = true
        case .remove(let ids):
            record.removed += ids
            for id in ids { take(.removed(id)) }
        default: break
        }
    }

    private mutating func note(_ call: WorkerCall) {
        if case .beat = call {} else { record.otherCalls += 1 }
        switch call {
        case .giveBack(let returns): record.returned += returns
        case .finish(let ends): record.ended += ends
        case .begin(let keys): record.begun += keys
        case .beat(let report): record.reports.append(report)
        case .claim: record.claims += 1
        default: break
        }
    }

    /// Looks at all destinations, which are free, and hands the jobs to the daemon.
    mutating func fetch() {
        answerCalls()
        for look in record.looks { take(.looked(look.key, nil)) }
        answerCalls()
        for lease in record.submitted {
            take(.submitted([lease.key.token: TransferID(rawValue: UInt64(lease.key.job.rawValue))]))
        }
        answerCalls()
    }

    /// Moves the clock on, with heartbeats.
    mutating func pass(_ seconds: Double) {
        let end = now + seconds
        while now < end {
            now = min(end, now + 5)
            take(.alarm)
            answerCalls()
        }
    }

    /// Answers one call, and returns whether there was one.
    @discardableResult
    mutating func answerCall() -> Bool {
        guard let call else { return false }
        self.call = nil
        take(.answered(answer(to: call)))
        return true
    }

    /// The call in flight fails.
    mutating func fail() {
        call = nil
        take(.callFailed(ServiceError(.queueUnsuitable, "It failed.")))
    }

    mutating func answerCalls() { while answerCall() {} }

    private func answer(to call: WorkerCall) -> WorkerAnswer {
        switch call {
        case .join: return .joined(Membership(worker: 1, epoch: 2, server: "s", listens: listens), leases)
        case .beat: return .beaten(heartbeat)
        case .rescue: return .rescued([])
        case .claim:
            return .claimed([], next: 600)
        case .reclaim: return .reclaimed([])
        case .finish(let ends) where ends.contains { refused.contains($0.key) }:
            let error = ServiceError(.queueUnsuitable, "Not with us.")
            return .except(ends.map(\.key).filter(refused.contains), error, .stale([]))
        case .finish, .giveBack, .landed, .begin: return .stale([])
        case .intend: return .intended(known: [:], stale: [])
        case .progress, .hold, .leave, .upkeep: return .done
        }
    }
}
