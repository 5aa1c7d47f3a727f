import FerryCore

/// What is known of networks and power, what transfers depend on, and which policy may run.
///
/// A value without clock and I/O. The service owns it and tells it what a ``ConditionSource`` says.
struct KnownConditions: Sendable {
    /// How often the power is looked at, where nothing announces its changes.
    enum Pace: Equatable, Sendable {
        case never
        case every(seconds: Int)
    }

    /// What follows from a change.
    struct Change: Equatable, Sendable {
        /// Whether a network has come up: what failed for want of one is worth another attempt at once.
        let cameUp: Bool
    }

    private let concernsLoopback: Bool
    private let isLoopback: @Sendable (_ host: String) -> Bool
    private var conditions = Conditions()
    /// What has been asked for because a transfer depends on it.
    private var watched: ConditionNeeds = []
    /// What the source has answered.
    private var known: ConditionNeeds = []
    private var pace = Pace.never
    /// Whose needs were seen to last: most neighbours in line are alike.
    private var latest: QueueKey?

    /// - Parameters:
    ///   - concernsLoopback: whether what is known may concern hosts on this machine.
    ///   - isLoopback: whether a host is this machine, which is reached without a network.
    init(concernsLoopback: Bool = false, isLoopback: @escaping @Sendable (_ host: String) -> Bool) {
        self.concernsLoopback = concernsLoopback
        self.isLoopback = isLoopback
    }

    // MARK: What happens

    /// Notes that a transfer with a key waits or runs.
    ///
    /// - Returns: what is to be watched from here on; nil if nothing is new.
    mutating func depend(on key: QueueKey) -> ConditionNeeds? {
        guard key != latest, !watched.isSuperset(of: key.network.needs) else { return nil }
        latest = key
        let needs = needs(of: key)
        guard !watched.isSuperset(of: needs) else { return nil }
        watched.formUnion(needs)
        return needs
    }

    /// Takes up what a source says.
    ///
    /// - Parameter constrained: whether the settings want networks to be used sparingly.
    /// - Returns: nil if nothing is new, or nothing depends on it.
    mutating func take(_ report: ConditionReport, constrained: Bool) -> Change? {
        guard !watched.isEmpty else { return nil }
        var conditions = report.conditions
        conditions.constrained = conditions.constrained || constrained
        guard conditions != self.conditions || report.known != known else { return nil }
        let cameUp = known.contains(.reachability) && conditions.cameUp(since: self.conditions)
        latest = nil
        self.conditions = conditions
        known = report.known
        return Change(cameUp: cameUp)
    }

    /// Decides how often the power is looked at; at rest nothing wakes up for it.
    ///
    /// - Parameters:
    ///   - isWaiting: whether a discretionary transfer waits.
    ///   - isRunning: whether one runs. What runs on must stop within five seconds.
    /// - Returns: nil if nothing is new.
    mutating func setPace(isWaiting: Bool, isRunning: Bool) -> Pace? {
        guard watched.contains(.power) else { return nil }
        let pace: Pace = isRunning ? .every(seconds: 3) : isWaiting ? .every(seconds: 15) : .never
        guard pace != self.pace else { return nil }
        self.pace = pace
        return pace
    }

    // MARK: Questions

    /// Whether no rule can be in the way of a transfer.
    var areGood: Bool { conditions.areGood }

    /// Which condition is in the way of transfers with a key; nil if none is, or none is known to be.
    func obstacle(_ key: QueueKey) -> WaitReason? {
        if areGood { return nil }
        return ConditionRule.obstacle(key.network, conditions, isLoopback: isLoopback(ofOrigin: key.origin))
    }

    /// Whether everything is known that transfers with a key depend on.
    func isSettled(_ key: QueueKey) -> Bool { watched.isSubset(of: known) || needs(of: key).isSubset(of: known) }

    /// Whether the conditions let transfers with a key run.
    func isPermitted(_ key: QueueKey) -> Bool { isSettled(key) && obstacle(key) == nil }

    /// The conditions that transfers with a key depend on.
    private func needs(of key: QueueKey) -> ConditionNeeds {
        let needs = key.network.needs
        return !concernsLoopback && isLoopback(ofOrigin: key.origin) ? needs.intersection(.power) : needs
    }

    private func isLoopback(ofOrigin origin: String) -> Bool {
        isLoopback(String(LoopbackHost.host(ofOrigin: origin)))
    }
}

extension KnownConditions: CustomStringConvertible {
    var description: String { "\(conditions)" }
}
