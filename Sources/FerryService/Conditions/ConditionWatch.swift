// Ferry: FerryService
// What the queue knows about networks and power.

import FerryCore

/// What the queue knows about networks and power.
struct ConditionWatch: Sendable {
    let source: any ConditionSource
    var conditions = Conditions()
    /// What has been asked for because a transfer depends on it.
    var watched: ConditionNeeds = []
    /// What the source has answered.
    var known: ConditionNeeds = []
    /// Seconds between two looks at the power; nil while nobody depends on it.
    var pace: Int?
    /// Those who want to know about changes, beside the queue.
    var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
    var lastListener = 0
    /// Whose needs were seen to last: most neighbours in line are alike.
    var latest: QueueKey?

    init(_ configuration: ServiceConfiguration) {
        if let source = configuration.conditions {
            self.source = source
        } else if let path = configuration.environment["FERRY_CONDITIONS_FILE"], !path.isEmpty {
            source = FileConditions(path: path, logger: configuration.logger)
        } else {
            source = SystemConditions(environment: configuration.environment, logger: configuration.logger)
        }
    }

    /// Whether everything that was asked for is known.
    var isSettled: Bool { watched.isSubset(of: known) }

    /// The conditions a policy depends on, for a host that is this machine or not.
    func needs(_ policy: NetworkPolicy, isLoopback: @autoclosure () -> Bool) -> ConditionNeeds {
        let needs = policy.needs
        return !source.concernsLoopback && isLoopback() ? needs.intersection(.power) : needs
    }

    func end() {
        source.stop()
        for listener in listeners.values { listener.finish() }
    }
}
