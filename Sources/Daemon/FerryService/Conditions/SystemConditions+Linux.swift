import Dispatch
import FerryCore
package import FerryQueue
package import FerryRules
import FerrySystem
import Foundation
package import Logging
import Synchronization

/// The machine's conditions: routes from the kernel, network kind from NetworkManager, power from `/sys`.
///
/// Changes of routes and network kind arrive as notifications, so an idle service does not wake up. Only power is
/// polled, while a discretionary transfer waits or runs. An unknown condition restricts no transfer.
package final class SystemConditions: ConditionSource {
    private struct State {
        var report = ConditionReport()
        var wanted: ConditionNeeds = []
        var changed: (@Sendable () -> Void)?
        var routes: DescriptorWatch?
        var manager: NetworkManagerWatch?
        var poll: PowerPoll?
        var isStopped = false
    }

    private let address: String
    private let powerFolder: String
    private let logger: Logger
    private let queue = DispatchQueue(label: "conditions")
    /// Separate from ``queue``, because bus calls may block.
    private let busQueue = DispatchQueue(label: "conditions of NetworkManager")
    private let state = Mutex(State())

    package init(
        environment: [String: String], powerFolder: String = "/sys/class/power_supply", logger: Logger
    ) {
        address = SystemBus.address(environment)
        self.powerFolder = powerFolder
        self.logger = logger
    }

    package let concernsLoopback = false

    package var report: ConditionReport { state.withLock(\.report) }

    package func watch(_ needs: ConditionNeeds, changed: @escaping @Sendable () -> Void) {
        let new = state.withLock { state in
            state.changed = changed
            let new = needs.subtracting(state.wanted)
            state.wanted.formUnion(needs)
            return new
        }
        if new.contains(.reachability) { queue.async { [self] in watchRoutes() } }
        if new.contains(.kind) { busQueue.async { [self] in watchManager() } }
        if new.contains(.power) { queue.async { [self] in readPower() } }
    }

    package func pollPower(every seconds: Int?) {
        let poll = seconds.map { seconds in
            PowerPoll(every: seconds, queue: queue) { [weak self] in self?.readPower() }
        }
        let old = state.withLock { state in
            let old = state.isStopped ? poll : state.poll
            state.poll = state.isStopped ? nil : poll
            return old
        }
        old?.stop()
    }

    package func stop() {
        let (routes, manager, poll) = state.withLock { state in
            state.isStopped = true
            state.changed = nil
            return (state.routes.take(), state.manager.take(), state.poll.take())
        }
        routes?.stop()
        manager?.stop()
        poll?.stop()
    }

    private func update(_ change: (inout ConditionReport) -> Void) {
        let changed: (@Sendable () -> Void)? = state.withLock { state in
            let before = state.report
            change(&state.report)
            return state.report == before ? nil : state.changed
        }
        changed?()
    }

    // MARK: Routes

    private func watchRoutes() {
        let routes = RouteChanges.watch(queue) { [weak self] in
            self?.readRoutes()
            self?.reopenManager()
        }
        let isStopped = state.withLock { state in
            if !state.isStopped { state.routes = routes }
            return state.isStopped
        }
        if isStopped { routes?.stop() }
        readRoutes()
    }

    private func readRoutes() {
        let routes = NetworkRoutes.read()
        update { report in
            report.conditions.reachable = routes?.uplinks.isEmpty != true
            report.conditions.uplinks = routes?.uplinks ?? []
            report.conditions.subnets = routes?.subnets ?? []
            report.known.insert(.reachability)
        }
    }

    // MARK: NetworkManager

    private func watchManager() {
        let manager = NetworkManagerWatch(address: address, queue: busQueue) { [weak self] kind in
            self?.take(kind)
        } ended: { [weak self] in
            self?.state.withLock { $0.manager = nil }
            self?.take(NetworkKind())
        }
        let isStopped = state.withLock { state in
            if !state.isStopped { state.manager = manager }
            return state.isStopped
        }
        guard let manager, !isStopped else {
            manager?.stop()
            return take(NetworkKind())
        }
        manager.read()
    }

    /// Retries opening a missing bus whenever the networks change.
    private func reopenManager() {
        busQueue.async { [self] in
            let isMissing = state.withLock { $0.wanted.contains(.kind) && $0.manager == nil && !$0.isStopped }
            if isMissing { watchManager() }
        }
    }

    private func take(_ kind: NetworkKind) {
        update { report in
            report.conditions.cellular = kind.isCellular
            report.conditions.expensive = kind.isExpensive
            report.known.insert(.kind)
        }
    }

    // MARK: Power

    private func readPower() {
        let isExternal = PowerSupply.isExternal(PowerSupply.all(in: powerFolder))
        update { report in
            report.conditions.externalPower = isExternal
            report.known.insert(.power)
        }
    }
}
