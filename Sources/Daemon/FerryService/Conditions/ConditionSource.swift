package import FerryQueue
package import FerryRules

/// A source of network and power conditions: the machine, a file, or a test.
package protocol ConditionSource: Sendable {
    /// Whether the conditions may also apply to hosts on this machine.
    var concernsLoopback: Bool { get }

    /// The current report. Does not block.
    var report: ConditionReport { get }

    /// Starts watching the given needs, and calls the closure after every change of the report, from any thread.
    ///
    /// A source soon reports every watched need. If the machine cannot determine one, the reported value restricts no
    /// transfer.
    func watch(_ needs: ConditionNeeds, changed: @escaping @Sendable () -> Void)

    /// Polls the power state at this interval if its changes are not announced. `nil` stops polling.
    func pollPower(every seconds: Int?)

    /// Stops watching, permanently. Idempotent.
    func stop()
}

extension ServiceConfiguration {
    /// Returns the source of the conditions: the machine's, or the file in `FERRY_CONDITIONS_FILE`.
    func conditionSource() -> any ConditionSource {
        if let source = machine.conditions { return source }
        if let path = environment["FERRY_CONDITIONS_FILE"], !path.isEmpty {
            return FileConditions(path: path, logger: logger)
        }
        return SystemConditions(environment: environment, logger: logger)
    }
}
