import FerryCore
import NIOCore
import Synchronization

/// Connections of one transfer, opened before their requests are known.
///
/// Each counts as a connection to its origin, like a connection in use.
final class EarlyConnections: Sendable {
    /// Interval of the check for connections to close in favor of others.
    private static let interval = TimeAmount.milliseconds(500)

    private struct State {
        var waiting: [EarlyConnection] = []
        var watch: RepeatedTask?
        /// The place of the transfer's files, which determines the event loops.
        var place = DiskLane.Place.anywhere
        var isShut = false
    }

    private let engine: Engine
    private let progress: TransferProgress
    private let state = Mutex(State())

    init(_ engine: Engine, _ progress: TransferProgress) {
        self.engine = engine
        self.progress = progress
    }

    /// Sets the place of the transfer's files. Call it before opening the first connection.
    func settle(at place: DiskLane.Place) { state.withLock { $0.place = place } }

    /// The unused connections, in the order in which they were opened.
    var waiting: [EarlyConnection] { state.withLock(\.waiting) }

    var count: Int { waiting.count }

    /// The origin of the connections.
    var origin: Origin? { waiting.first?.origin }

    /// Opens connections up to a number, within the budget, and closes connections to another origin.
    ///
    /// - Parameters:
    ///   - key: The connections' properties, except the event loops.
    ///   - wanted: The user's number for the transfer.
    func open(_ count: Int, to url: HTTPURL, _ key: ConnectionKey, wanted: Int?) {
        leave(url.origin)
        while self.count < count, engine.budget.claim(url.origin, wanted: wanted) {
            var key = key
            key.loop = engine.takeLoop(for: state.withLock(\.place))
            key.offersHTTP2 = false
            let connection = engine.openEarly(url, key: key, onReceived: progress.counting)
            let isKept = state.withLock { state in
                if !state.isShut { state.waiting.append(connection) }
                return !state.isShut
            }
            guard isKept else { return end([connection]) }
        }
        watch(wanted: wanted)
    }

    /// Hands over a connection that stays counted. The caller must release it from the budget.
    func take(_ origin: Origin) -> EarlyConnection? {
        state.withLock { state in
            state.waiting.firstIndex { $0.origin == origin }.map { state.waiting.remove(at: $0) }
        }
    }

    /// Closes all but this many connections.
    func keep(_ count: Int) {
        end(
            state.withLock { state in
                let rest = Array(state.waiting.dropFirst(max(0, count)))
                state.waiting.removeLast(rest.count)
                return rest
            })
    }

    /// Closes all connections, and opens no more.
    func shut() {
        state.withLock { state in
            state.isShut = true
            state.watch?.cancel()
            state.watch = nil
        }
        keep(0)
    }

    /// Closes as many connections as other transfers need (docs/behaviour/transfers.md#L4).
    func giveWay(wanted: Int?) {
        guard let origin else { return }
        keep(count - engine.budget.excess(origin, wanted: wanted))
    }

    /// Closes the connections if they lead to another origin.
    private func leave(_ origin: Origin) {
        guard let other = self.origin, other != origin else { return }
        engine.budget.noteEarly(other, areUnused: true)
        keep(0)
    }

    private func end(_ connections: [EarlyConnection]) {
        for connection in connections {
            connection.close()
            engine.budget.leave(connection.origin)
        }
    }

    /// Calls `giveWay` at intervals until no connection is left, even before workers exist.
    private func watch(wanted: Int?) {
        guard state.withLock({ !$0.isShut && $0.watch == nil && !$0.waiting.isEmpty }) else { return }
        let loop = engine.loops[engine.takeLoop(for: state.withLock(\.place))]
        let watch = loop.scheduleRepeatedTask(initialDelay: Self.interval, delay: Self.interval) { [weak self] task in
            guard let self, self.count > 0 else {
                self?.state.withLock { $0.watch = nil }
                return task.cancel()
            }
            self.giveWay(wanted: wanted)
        }
        let isKept = state.withLock { state in
            if !state.isShut { state.watch = watch }
            return !state.isShut
        }
        if !isKept { watch.cancel() }
    }
}
