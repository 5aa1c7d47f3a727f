import FerryCore
import NIOCore
import Synchronization

/// How many connections there may be, to a host and in all, over all transfers of an engine.
///
/// See docs/behaviour/transfers.md#L4.
///
/// The first connection of a transfer is always allowed, since the queue has decided about it; it counts, so that extra ones
/// of other transfers give way to it.
package final class ConnectionBudget: Sendable {
    private struct State {
        var perHost = 8
        var total = 128
        var open: [Origin: Int] = [:]
        var all = 0
        var allowances: [Origin: HostAllowance] = [:]
        /// Origins whose early connections were not needed, and until when that is remembered.
        var inVain: [Origin: Double] = [:]

        /// Connections that a transfer may bring its origin to.
        func limit(_ origin: Origin, wanted: Int?, now: Double) -> Int {
            min(max(perHost, wanted ?? 0), allowances[origin]?.connections(now: now) ?? .max)
        }
    }

    private let state = Mutex(State())

    init() {}

    /// Sets what the settings allow.
    package func setLimits(perHost: Int, total: Int) {
        state.withLock { ($0.perHost, $0.total) = (perHost, total) }
    }

    /// Counts the first connection of a transfer.
    func enter(_ origin: Origin) { state.withLock { Self.add(1, origin, &$0) } }

    func leave(_ origin: Origin) { state.withLock { Self.add(-1, origin, &$0) } }

    /// Takes one more connection for a transfer, if there may be one.
    ///
    /// - Parameter wanted: the number that the transfer's user gave.
    func claim(_ origin: Origin, wanted: Int?) -> Bool {
        state.withLock { state in
            guard state.all < state.total,
                state.open[origin, default: 0] < state.limit(origin, wanted: wanted, now: Self.now)
            else { return false }
            Self.add(1, origin, &state)
            return true
        }
    }

    /// Extra connections that should go, since others came; what a host refused is no reason
    /// (docs/behaviour/transfers.md#S10).
    func excess(_ origin: Origin, wanted: Int?) -> Int {
        state.withLock { state in
            max(
                state.open[origin, default: 0] - max(state.perHost, wanted ?? 0), state.all - state.total, 0)
        }
    }

    /// Connections that the host was found to take; `Int.max` if it has refused none.
    func allowance(_ origin: Origin) -> Int {
        state.withLock { $0.allowances[origin]?.connections(now: Self.now) ?? .max }
    }

    /// Remembers that a host refused a connection while others received something.
    ///
    /// - Parameters:
    ///   - active: connections that were open or being opened, the refused one included.
    ///   - receiving: connections that received something.
    func refused(_ origin: Origin, active: Int, receiving: Int) {
        // The newest is all that counts; hosts that are never heard of again are few.
        state.withLock {
            $0.allowances[origin] = HostAllowance(active: active, receiving: receiving, now: Self.now)
        }
    }

    // MARK: Connections that were opened early

    /// How long it is remembered that they were not needed, in seconds.
    private static let memory = 600.0
    /// Origins that are remembered at most.
    private static let mostOrigins = 1000

    /// Whether connections that were last opened early to an origin were not needed.
    func earlyWereInVain(_ origin: Origin) -> Bool { state.withLock { $0.inVain[origin] ?? 0 > Self.now } }

    /// Remembers whether connections that were opened early to an origin were needed.
    func noteEarly(_ origin: Origin, inVain: Bool) {
        state.withLock { state in
            if state.inVain.count >= Self.mostOrigins { state.inVain.removeAll() }
            state.inVain[origin] = inVain ? Self.now + Self.memory : nil
        }
    }

    private static var now: Double { Double(NIODeadline.now().uptimeNanoseconds) / 1e9 }

    private static func add(_ count: Int, _ origin: Origin, _ state: inout State) {
        state.all += count
        let open = state.open[origin, default: 0] + count
        state.open[origin] = open > 0 ? open : nil
    }
}
