package import FerryCore
import FerryRules

/// The known conditions of network and power, the leases of sessions, and which transfers may run under them.
///
/// Pure value: no clock, no I/O. The service owns it and passes the reports of a ``ConditionSource``.
package struct KnownConditions: Sendable {
    /// How often the power state is polled if its changes are not announced.
    package enum Pace: Equatable, Sendable {
        case never
        case every(seconds: Int)
    }

    /// The consequences of a change.
    package struct Change: Equatable, Sendable {
        /// Whether a network has come up. Transfers that failed without one are retried at once.
        package let cameUp: Bool
    }

    /// The leases of sessions.
    var leases = SessionLeases()
    private let concernsLoopback: Bool
    private let isLoopback: @Sendable (_ host: String) -> Bool
    private var conditions = Conditions()
    /// Conditions requested because a transfer depends on them.
    private var watched: ConditionNeeds = []
    /// Conditions the source has reported.
    private var known: ConditionNeeds = []
    private var pace = Pace.never
    /// The key handled last. Most neighboring transfers in the queue have equal keys.
    private var latest: QueueKey?

    /// - Parameters:
    ///   - concernsLoopback: Whether the conditions may apply to hosts on this machine.
    ///   - isLoopback: Whether a host is this machine, reached without a network.
    package init(concernsLoopback: Bool = false, isLoopback: @escaping @Sendable (_ host: String) -> Bool) {
        self.concernsLoopback = concernsLoopback
        self.isLoopback = isLoopback
    }

    // MARK: Events

    /// Registers that a transfer with this key waits or runs.
    ///
    /// - Returns: The needs to watch from here on, or `nil` if nothing is new.
    mutating func depend(on key: QueueKey) -> ConditionNeeds? {
        leases.depend(on: key)
        guard key != latest, !watched.isSuperset(of: key.network.needs) else { return nil }
        latest = key
        let needs = needs(of: key)
        guard !watched.isSuperset(of: needs) else { return nil }
        watched.formUnion(needs)
        return needs
    }

    /// Applies a source's report.
    ///
    /// - Parameter constrained: Whether the settings ask for sparing use of networks.
    /// - Returns: `nil` if nothing changed, or nothing depends on it.
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

    /// Updates the polling interval of the power state. An idle service does not poll.
    ///
    /// - Parameters:
    ///   - isWaiting: Whether a discretionary transfer waits.
    ///   - isRunning: Whether one runs. A running one must stop within five seconds.
    /// - Returns: The new pace, or `nil` if unchanged.
    mutating func setPace(isWaiting: Bool, isRunning: Bool) -> Pace? {
        guard watched.contains(.power) else { return nil }
        let pace: Pace = isRunning ? .every(seconds: 3) : isWaiting ? .every(seconds: 15) : .never
        guard pace != self.pace else { return nil }
        self.pace = pace
        return pace
    }

    // MARK: Questions

    /// Whether neither conditions nor missing leases can block any transfer.
    package var areGood: Bool { conditions.areGood && !leases.areNeeded }

    /// Returns the condition that blocks transfers with this key, or `nil` if none is known to.
    package func obstacle(_ key: QueueKey) -> WaitReason? {
        if areGood { return nil }
        guard leases.cover(key) else { return .lease }
        return ConditionRule.obstacle(
            key.network, conditions, host: String(LoopbackHost.host(ofOrigin: key.origin)),
            isLoopback: isLoopback(ofOrigin: key.origin))
    }

    /// The report of an attempt, whose error may only say that there is no network.
    func explained(_ report: RunReport, of url: String) -> RunReport {
        guard !conditions.reachable, case .failed(let error, let retryAfter) = report.result,
            let host = try? HTTPURL(parsing: url).host
        else { return report }
        var report = report
        report.result = .failed(
            ConditionRule.explained(error, conditions, isLoopback: isLoopback(host)), retryAfter: retryAfter)
        return report
    }

    /// Whether all conditions that transfers with this key depend on are known.
    package func isSettled(_ key: QueueKey) -> Bool {
        watched.isSubset(of: known) || needs(of: key).isSubset(of: known)
    }

    /// Whether the conditions permit transfers with this key to run.
    package func isPermitted(_ key: QueueKey) -> Bool { isSettled(key) && obstacle(key) == nil }

    /// Returns the conditions that transfers with this key depend on.
    private func needs(of key: QueueKey) -> ConditionNeeds {
        let needs = key.network.needs
        return !concernsLoopback && isLoopback(ofOrigin: key.origin) ? needs.intersection(.power) : needs
    }

    private func isLoopback(ofOrigin origin: String) -> Bool {
        isLoopback(String(LoopbackHost.host(ofOrigin: origin)))
    }
}

extension KnownConditions: CustomStringConvertible {
    package var description: String { "\(conditions)" }
}
