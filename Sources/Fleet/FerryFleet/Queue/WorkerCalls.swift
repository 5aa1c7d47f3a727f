package import FerryCore

/// A worker's call to the shared queue.
///
/// All of it is safe to repeat: a call whose answer was lost is followed by `join`, whose answer says what the worker
/// holds.
package enum WorkerCall: Hashable, Sendable {
    /// Becomes a member, and adopts the leases of the worker's former life unless it was given up.
    case join(WorkerDescription)
    /// Extends the leases. Due every third of the lease's length.
    case beat(WorkerReport)
    /// Gives up workers whose leases are over, and returns their jobs to the queue.
    case rescue
    /// Claims at most this many jobs.
    case claim(Int)
    /// Claims these jobs, as far as they wait: the worker still has bytes of them.
    case reclaim([JobReference])
    case finish([JobEnd])
    case giveBack([JobReturn])
    /// Records that jobs with which workers were lost are about to be fetched. If this worker is lost too, they fail.
    case begin([LeaseKey])
    /// Records that all bytes have arrived, so that another transfer may use the origin.
    case landed([LeaseKey])
    /// Records intents. The answer has all intents of these jobs.
    case intend([JobIntent])
    case progress([JobProgress])
    /// Delays all claims of jobs from an origin.
    case hold(Origin, seconds: Double)
    /// Removes what the queue needs no longer. One worker does it at a time.
    case upkeep
    /// Ends the membership. Jobs that are still held return to the queue.
    case leave
}

extension WorkerCall {
    /// The leases of the jobs that it concludes, or about which it records something.
    package var keys: [LeaseKey] {
        switch self {
        case .finish(let ends): ends.map(\.key)
        case .giveBack(let returns): returns.map(\.key)
        case .intend(let intents): intents.map(\.key)
        case .begin(let keys), .landed(let keys): keys
        default: []
        }
    }

    /// The call without these jobs.
    package func without(_ keys: Set<LeaseKey>) -> WorkerCall {
        switch self {
        case .finish(let ends): .finish(ends.filter { !keys.contains($0.key) })
        case .giveBack(let returns): .giveBack(returns.filter { !keys.contains($0.key) })
        case .intend(let intents): .intend(intents.filter { !keys.contains($0.key) })
        case .begin(let all): .begin(all.filter { !keys.contains($0) })
        case .landed(let all): .landed(all.filter { !keys.contains($0) })
        default: self
        }
    }
}

/// A worker's state, for the fleet's status.
package struct WorkerReport: Hashable, Sendable {
    /// Number of slots in use.
    package var running: Int
    /// Why it claims nothing, or `nil`.
    package var condition: String?

    package init(running: Int = 0, condition: String? = nil) {
        self.running = running
        self.condition = condition
    }
}

/// Names a job without a lease.
package struct JobReference: Hashable, Sendable {
    package var job: JobID
    package var token: JobToken

    package init(job: JobID, token: JobToken) {
        self.job = job
        self.token = token
    }
}

/// The bytes of a running job.
package struct JobProgress: Hashable, Sendable {
    package var key: LeaseKey
    package var received: Int64
    package var expected: Int64?

    package init(key: LeaseKey, received: Int64, expected: Int64?) {
        self.key = key
        self.received = received
        self.expected = expected
    }
}

/// The queue's answer to a worker's call.
package indirect enum WorkerAnswer: Hashable, Sendable {
    case joined(Membership, [Lease])
    case beaten(Heartbeat)
    case rescued([Rescue])
    /// - Parameter next: Seconds after which another claim may find jobs, unless a notification comes first.
    case claimed([Lease], next: Double)
    case reclaimed([Lease])
    /// The leases that no longer stand, of a call that named leases. Nothing was done for them.
    case stale([LeaseKey])
    /// - Parameter known: All intents of each job, in the order in which they were recorded.
    case intended(known: [JobToken: [Intent]], stale: [LeaseKey])
    /// The queue refused the call for these jobs, with this error, and changed nothing about them. The last value is the
    /// answer for the other jobs.
    case except([LeaseKey], ServiceError, WorkerAnswer)
    case done
    /// The worker was given up, or has joined elsewhere. Nothing was done.
    case givenUp
}

/// The answer to a heartbeat.
package struct Heartbeat: Hashable, Sendable {
    /// Commands of users for jobs of this worker.
    package enum Wish: String, Codable, Sendable { case cancel, pause }

    package struct JobWish: Hashable, Sendable {
        package var key: LeaseKey
        package var wish: Wish

        package init(key: LeaseKey, wish: Wish) {
            self.key = key
            self.wish = wish
        }
    }

    /// A hold of an origin: workers start no transfer from it for this many seconds. 0 ends the hold.
    package struct Hold: Hashable, Codable, Sendable {
        package var origin: String
        package var seconds: Double

        package init(origin: String, seconds: Double) {
            self.origin = origin
            self.seconds = seconds
        }
    }

    package var server: String
    package var wishes: [JobWish] = []
    /// All origins that are held.
    package var holds: [Hold] = []
    /// Seconds that a draining worker lets jobs end, or `nil` unless the worker is asked to drain.
    package var patience: Double?
    /// Seconds after which a claim of this worker may find jobs.
    package var next = Double.infinity
    /// Whether a worker's leases are over, so that it may be given up.
    package var hasLateWorkers = false

    package init(server: String) { self.server = server }
}

/// A worker that was given up.
package struct Rescue: Hashable, Codable, Sendable {
    package var name: String
    /// Number of jobs that it held.
    package var jobs: Int

    package init(name: String, jobs: Int) {
        self.name = name
        self.jobs = jobs
    }
}
