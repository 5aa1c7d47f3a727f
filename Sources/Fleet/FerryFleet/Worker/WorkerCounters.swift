/// Counts of a worker since it started.
package struct WorkerCounters: Hashable, Sendable {
    package private(set) var claims = 0
    package private(set) var claimedJobs = 0
    package private(set) var ended: [JobOutcome.Kind: Int] = [:]
    package private(set) var returned: [JobReturn.Reason: Int] = [:]
    /// Conclusions that came too late.
    package private(set) var stale = 0
    /// Jobs taken from lost workers.
    package private(set) var rescued = 0
    /// Times that this worker was given up.
    package private(set) var losses = 0
    package private(set) var failedDeliveries = 0
    /// Files of earlier holders that were found in place.
    package private(set) var recognizedDeliveries = 0
    package private(set) var deliveredBytes: Int64 = 0
    package private(set) var failedCalls = 0

    mutating func note(_ event: FleetAgent.Event) {
        switch event {
        case .givenUp: losses += 1
        case .unreachable, .refused: failedCalls += 1
        case .rescued(let rescue): rescued += rescue.jobs
        case .stale: stale += 1
        case .recognized: recognizedDeliveries += 1
        case .ended(_, let kind): ended[kind, default: 0] += 1
        case .returned(_, let reason): returned[reason, default: 0] += 1
        case .deliveryFailed: failedDeliveries += 1
        case .joined, .draining, .condition: break
        }
    }

    mutating func note(_ answer: WorkerAnswer) {
        guard case .claimed(let leases, _) = answer else { return }
        claims += 1
        claimedJobs += leases.count
    }

    mutating func note(_ placement: Placement) {
        guard case .delivered(let result) = placement, !result.isUnchanged else { return }
        deliveredBytes += result.size
    }
}

/// A worker at one moment.
package struct WorkerSnapshot: Hashable, Sendable {
    package var counters: WorkerCounters
    /// Whether it is a member of the fleet.
    package var isMember: Bool
    package var slots: Int
    /// Number of slots in use.
    package var running: Int
    package var held: Int
    /// Why it claims nothing, or `nil`.
    package var condition: String?
    /// Seconds until its leases may be over. Negative if they are.
    package var validity: Double
    /// Seconds that the last answered call to the queue took.
    package var roundTrip: Double?
}
