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
    /// Whether the number of transfers from its origin is limited across the fleet.
    package var isLimited: Bool
    /// The request, or `nil` if this version cannot read it.
    package var request: TransferRequest?
    /// Files that holders of the job were about to place. One of them may be at its name.
    package var intents: [Intent]

    package init(key: LeaseKey, tries: Int, isLimited: Bool, request: TransferRequest?, intents: [Intent] = []) {
        self.key = key
        self.tries = tries
        self.isLimited = isLimited
        self.request = request
        self.intents = intents
    }
}

/// A worker's membership in the fleet. Every call of the worker names it.
package struct Membership: Hashable, Codable, Sendable {
    package var worker: Int32
    /// Increases whenever the worker joins or is given up. Calls with an older epoch are refused.
    package var epoch: Int32
    /// Identifies the database and its timeline. Another one after a fail-over means that the worker must join again.
    package var server: String

    package init(worker: Int32, epoch: Int32, server: String) {
        self.worker = worker
        self.epoch = epoch
        self.server = server
    }
}

/// A worker's description of itself when it joins.
package struct WorkerDescription: Hashable, Codable, Sendable {
    /// The worker's name in the fleet. One machine has it at a time.
    package var name: String
    /// Distinguishes machines, their boots and state folders. A copied disk image shares none but the last.
    package var identity: String
    package var version: String
    /// Seconds after its last heartbeat until the worker is given up.
    package var lease: Double
    package var slots: Int
    /// Jobs that need one of these labels are claimed too.
    package var labels: [String]

    package init(name: String, identity: String, version: String, lease: Double, slots: Int, labels: [String] = []) {
        self.name = name
        self.identity = identity
        self.version = version
        self.lease = lease
        self.slots = slots
        self.labels = labels
    }
}
