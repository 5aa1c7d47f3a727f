import FerryCore
/// The worker's standing in the fleet: its membership, its validity, and the call in flight.
package struct AgentStanding: Hashable, Sendable {
    package private(set) var member: Membership?
    /// Until when the worker certainly holds its leases, counted from before the last successful heartbeat was sent.
    package private(set) var validUntil = -Double.infinity
    /// The call in flight, and when it was sent.
    private(set) var inFlight: WorkerCall?
    private var sentAt = 0.0
    var joinDue = Double.infinity
    private var beatDue = Double.infinity
    private(set) var isRescueDue = false
    /// Failed calls since the second heartbeat after joining.
    private var failures = 0
    /// Whether no heartbeat was sent since it has joined.
    private var isNew = true
    /// When another machine was first found to have the worker's name, since the last success.
    private var refusedSince: Double?

    /// Delays between failed attempts to join.
    private static let backoff = Backoff(first: 0.2, longest: 5)

    var nextCallDue: Double {
        if inFlight != nil { return .infinity }
        return member == nil ? joinDue : isRescueDue ? -.infinity : beatDue
    }

    /// Whether the last call failed, and the queue has not answered since.
    var isAway: Bool { member == nil && failures > 0 && inFlight == nil }

    func isJoinDue(at now: Double) -> Bool { member == nil && joinDue <= now }
    func isBeatDue(at now: Double) -> Bool { member != nil && beatDue <= now }

    /// Whether a delivery may begin.
    func allowsDelivery(at now: Double, lease: Double) -> Bool { member != nil && now < validUntil - lease / 5 }

    mutating func begin(_ call: WorkerCall, at now: Double) {
        inFlight = call
        sentAt = now
        if case .rescue = call { isRescueDue = false }
    }

    /// Ends the call in flight, and returns it.
    mutating func end() -> WorkerCall? {
        defer { inFlight = nil }
        return inFlight
    }

    mutating func joined(_ member: Membership, lease: Double) {
        self.member = member
        refusedSince = nil
        isNew = true
        renewed(lease: lease, hasLateWorkers: true)
        // The answer to a heartbeat says what users wish of jobs.
        beatDue = sentAt
    }

    /// - Parameter hasLateWorkers: Whether some may have to be given up.
    mutating func beaten(lease: Double, hasLateWorkers: Bool) {
        // Not as soon as it has joined: a call that fails each time would make it join again at once, each time.
        if !isNew { failures = 0 }
        isNew = false
        renewed(lease: lease, hasLateWorkers: hasLateWorkers)
    }

    private mutating func renewed(lease: Double, hasLateWorkers: Bool) {
        validUntil = sentAt + lease
        beatDue = sentAt + lease / 3
        isRescueDue = hasLateWorkers
    }

    /// The leases are lost. The worker joins anew at once.
    mutating func lost(at now: Double) {
        member = nil
        validUntil = -.infinity
        joinDue = now
    }

    /// The database moved to another timeline, or is another one: the worker joins anew and adopts its leases.
    mutating func moved(at now: Double) {
        member = nil
        joinDue = now
    }

    /// The database did not answer. Validity goes on: the leases stand until it is over.
    mutating func unreachable(at now: Double) {
        member = nil
        failures += 1
        joinDue = now + Self.backoff.delay(afterFailures: failures)
    }

    /// Another machine has the name. Returns whether to give up: it has had it for a lease and a half, so it is alive.
    mutating func refused(at now: Double, lease: Double) -> Bool {
        member = nil
        let since = refusedSince ?? now
        refusedSince = since
        joinDue = now + lease / 10
        return now - since > lease * 1.5
    }
}
