import FerryCore
import FerryRules
import NIOCore
import Synchronization

/// The limits on connections per host and in total, over all transfers of an engine.
///
/// See docs/behaviour/transfers.md#L4.
///
/// The first connection of a transfer is always allowed, since the queue has admitted it. It is counted, so that other
/// transfers close extra connections for it.
package final class ConnectionBudget: Sendable {
    private struct State {
        var perHost = 8
        var total = 128
        var open: [Origin: Int] = [:]
        var all = 0
        var allowances: [Origin: HostAllowance] = [:]
        /// Origins with unneeded early connections, and the time until which that is remembered.
        var areUnused: [Origin: Double] = [:]

        /// Returns the maximum number of connections to an origin if this transfer adds one.
        func limit(_ origin: Origin, wanted: Int?, now: Double) -> Int {
            min(max(perHost, wanted ?? 0), allowances[origin]?.connections(now: now) ?? .max)
        }
    }

    private let state = Mutex(State())

    init() {}

    /// Sets the limits of the settings.
    package func setLimits(perHost: Int, total: Int) {
        state.withLock { ($0.perHost, $0.total) = (perHost, total) }
    }

    /// Counts the first connection of a transfer.
    func enter(_ origin: Origin) { state.withLock { Self.add(1, origin, &$0) } }

    func leave(_ origin: Origin) { state.withLock { Self.add(-1, origin, &$0) } }

    /// Counts one more connection for a transfer if the limits allow it.
    ///
    /// - Parameter wanted: The user's number for the transfer.
    func claim(_ origin: Origin, wanted: Int?) -> Bool {
        state.withLock { state in
            guard state.all < state.total,
                state.open[origin, default: 0] < state.limit(origin, wanted: wanted, now: Self.now)
            else { return false }
            Self.add(1, origin, &state)
            return true
        }
    }

    /// Returns how many extra connections should close for new ones. A host's refusals do not count
    /// (docs/behaviour/transfers.md#S10).
    func excess(_ origin: Origin, wanted: Int?) -> Int {
        state.withLock { state in
            max(
                state.open[origin, default: 0] - max(state.perHost, wanted ?? 0), state.all - state.total, 0)
        }
    }

    /// Returns the number of connections that the host accepts, or `Int.max` if it has refused none.
    func allowance(_ origin: Origin) -> Int {
        state.withLock { $0.allowances[origin]?.connections(now: Self.now) ?? .max }
    }

    /// Records that a host refused a connection while others received bytes.
    ///
    /// - Parameters:
    ///   - active: Connections open or being opened, including the refused one.
    ///   - receiving: Connections that received bytes.
    func refused(_ origin: Origin, active: Int, receiving: Int) {
        // Only the latest refusal counts. Entries are not evicted, because few become stale.
        state.withLock {
            $0.allowances[origin] = HostAllowance(active: active, receiving: receiving, now: Self.now)
        }
    }

    // MARK: Early connections

    /// Seconds to remember unneeded early connections.
    private static let memory = 600.0
    /// Maximum number of remembered origins.
    private static let mostOrigins = 1000

    /// Returns whether the last early connections to an origin were not needed.
    func earlyWereUnused(_ origin: Origin) -> Bool { state.withLock { $0.areUnused[origin] ?? 0 > Self.now } }

    /// Records whether early connections to an origin were needed.
    func noteEarly(_ origin: Origin, areUnused: Bool) {
        state.withLock { state in
            if state.areUnused.count >= Self.mostOrigins { state.areUnused.removeAll() }
            state.areUnused[origin] = areUnused ? Self.now + Self.memory : nil
        }
    }

    private static var now: Double { Double(NIODeadline.now().uptimeNanoseconds) / 1e9 }

    private static func add(_ count: Int, _ origin: Origin, _ state: inout State) {
        state.all += count
        let open = state.open[origin, default: 0] + count
        state.open[origin] = open > 0 ? open : nil
    }
}
