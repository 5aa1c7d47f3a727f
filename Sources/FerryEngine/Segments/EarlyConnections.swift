import FerryCore
import NIOCore
import Synchronization

/// The connections of one transfer that were opened before it was known what is asked on them.
///
/// Each counts among the connections of its origin, as a connection in use does.
final class EarlyConnections: Sendable {
    /// How often the connections are checked for whether they have to give way to others.
    private static let interval = TimeAmount.milliseconds(500)

    private struct State {
        var waiting: [EarlyConnection] = []
        var watch: RepeatedTask?
        /// Where the transfer's bytes go, by which event loops are chosen.
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

    /// Says where the transfer's bytes go, before the first is opened.
    func settle(at place: DiskLane.Place) { state.withLock { $0.place = place } }

    /// The connections on which nothing was asked yet, in the order in which they were opened.
    var waiting: [EarlyConnection] { state.withLock(\.waiting) }

    var count: Int { waiting.count }

    /// Where they lead.
    var origin: Origin? { waiting.first?.origin }

    /// Opens connections up to a number, as far as the budget allows; closes connections to another origin.
    ///
    /// - Parameters:
    ///   - key: what the connections depend on, but for their event loops.
    ///   - wanted: connections that the transfer's user gave.
    func open(_ count: Int, to url: HTTPURL, _ key: ClientPool.Key, wanted: Int?) {
        leave(url.origin)
        while self.count < count, engine.budget.claim(url.origin, wanted: wanted) {
            var key = key
            key.loop = engine.takeLoop(for: state.withLock(\.place))
            key.offersHTTP2 = false
            guard let connection = try? engine.openEarly(url, key: key, onReceived: progress.counting) else {
                return engine.budget.leave(url.origin)
            }
            let isKept = state.withLock { state in
                if !state.isShut { state.waiting.append(connection) }
                return !state.isShut
            }
            guard isKept else { return end([connection]) }
        }
        watch(wanted: wanted)
    }

    /// Hands out a connection that stays counted; the caller has to give up its place in the budget.
    func take(_ origin: Origin) -> EarlyConnection? {
        state.withLock { state in
            state.waiting.firstIndex { $0.origin == origin }.map { state.waiting.remove(at: $0) }
        }
    }

    /// Closes all connections but this many.
    func keep(_ count: Int) {
        end(
            state.withLock { state in
                let rest = Array(state.waiting.dropFirst(max(0, count)))
                state.waiting.removeLast(rest.count)
                return rest
            })
    }

    /// Closes all, and opens no more.
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
        engine.budget.noteEarly(other, inVain: true)
        keep(0)
    }

    private func end(_ connections: [EarlyConnection]) {
        for connection in connections {
            connection.close()
            engine.budget.leave(connection.origin)
        }
    }

    /// Lets the connections give way at intervals until none is left, also before there are workers that are looked at.
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
