package import FerryCore

/// One holding of a job by a worker, as the queue recognizes it.
///
/// Calls about a job name its lease. The queue performs them only while exactly this lease stands.
package struct LeaseKey: Hashable, Codable, Sendable {
    package var job: JobID
    package var token: JobToken
    /// Increases with each claim of the job.
    package var fence: Int32

    package init(job: JobID, token: JobToken, fence: Int32) {
        self.job = job
        self.token = token
        self.fence = fence
    }
}

/// A job that a worker holds.
package struct Lease: Hashable, Sendable {
    package var key: LeaseKey
    /// Number of claims so far, this one included.
    package var tries: Int
    /// Number of workers that were lost with it in a row.
    package var rescues: Int
    /// Whether the number of transfers from its origin is limited across the fleet.
    package var isLimited: Bool
    /// Whether the queue knows that its bytes have arrived: its place at the limited origin is another's.
    package var hasLanded: Bool
    /// The request as it was submitted, or `nil` if this version cannot read it.
    package var request: TransferRequest? {
        get { shared?.request }
        set { shared = newValue.map(SharedRequest.init) }
    }
    private var shared: SharedRequest?
    /// The destination that the queue knows.
    package var path: String
    /// The origin that the queue knows.
    package var origin: String
    /// Files that holders of the job were about to place. One of them may be at its name.
    package var intents: [Intent]
    package var spent: Spent

    package init(
        key: LeaseKey, tries: Int, rescues: Int = 0, isLimited: Bool, hasLanded: Bool = false,
        request: TransferRequest?, path: String, origin: String, intents: [Intent] = [], spent: Spent = Spent()
    ) {
        self.key = key
        self.tries = tries
        self.rescues = rescues
        self.isLimited = isLimited
        self.hasLanded = hasLanded
        shared = request.map(SharedRequest.init)
        self.path = path
        self.origin = origin
        self.intents = intents
        self.spent = spent
    }

    /// Whether its next loss is judged: two workers in a row were lost with it.
    package var isSuspect: Bool { rescues >= 2 }
}

/// A request that copies of a lease share: it is large, and the agent looks at its jobs all the time.
private final class SharedRequest: Hashable, Sendable {
    let request: TransferRequest

    init(_ request: TransferRequest) { self.request = request }

    static func == (left: SharedRequest, right: SharedRequest) -> Bool {
        left === right || left.request == right.request
    }

    func hash(into hasher: inout Hasher) { hasher.combine(request) }
}

/// The share of the limits of a job's request that earlier claims have used.
package struct Spent: Hashable, Sendable {
    /// Failed attempts that workers reported with the job's returns.
    package var attempts = 0
    /// Seconds since the first return with a failed attempt.
    package var failing: Double?
    /// Seconds since the first claim.
    package var sinceStart: Double?
    /// Returns because of a worker's machine or store.
    package var machineFailures = 0

    package init(attempts: Int = 0, failing: Double? = nil, sinceStart: Double? = nil, machineFailures: Int = 0) {
        self.machineFailures = machineFailures
        self.attempts = attempts
        self.failing = failing
        self.sinceStart = sinceStart
    }
}

/// A worker's membership in the fleet. Every call of the worker names it.
package struct Membership: Hashable, Codable, Sendable {
    package var worker: Int32
    /// Increases whenever the worker joins or is given up. Calls with an older epoch are refused.
    package var epoch: Int32
    /// Identifies the database and its timeline. Another one after a fail-over means that the worker must join again.
    package var server: String
    /// Whether the worker is notified of jobs.
    package var listens: Bool

    package init(worker: Int32, epoch: Int32, server: String, listens: Bool = false) {
        self.worker = worker
        self.epoch = epoch
        self.server = server
        self.listens = listens
    }
}

/// A worker's description of itself when it joins.
package struct WorkerDescription: Hashable, Codable, Sendable {
    /// The worker's name in the fleet. One machine has it at a time.
    package var name: String
    /// Distinguishes machines, their boots and state folders.
    package var identity: String
    /// The machine's name for people.
    package var machine: String
    package var version: String
    /// Seconds after its last heartbeat until the worker is given up.
    package var lease: Double
    package var slots: Int
    /// Jobs that need one of these labels are claimed too.
    package var labels: [String]

    package init(
        name: String, identity: String, machine: String = "", version: String, lease: Double, slots: Int,
        labels: [String] = []
    ) {
        self.name = name
        self.identity = identity
        self.machine = machine
        self.version = version
        self.lease = lease
        self.slots = slots
        self.labels = labels
    }
}
