// Ferry: FerryEngine
// One timer for all watches of an event loop.

import NIOCore
import Synchronization

/// Looks at watches when the first of them may be due: one timer for all of an event loop, none for each.
final class WatchClock: Sendable {
    private struct Weak: Sendable {
        weak let watch: IdleWatch?
    }

    private struct State {
        var watches: [ObjectIdentifier: Weak] = [:]
        /// When they are looked at next; nil if nobody waits for that.
        var next: NIODeadline?
    }

    private let loop: any EventLoop
    private let state = Mutex(State())

    init(loop: any EventLoop) { self.loop = loop }

    /// Looks at a watch from its time on. Keeps only a weak hold.
    func add(_ watch: IdleWatch, due: NIODeadline) {
        let isFirst = state.withLock { state in
            state.watches[ObjectIdentifier(watch)] = Weak(watch: watch)
            guard state.next.map({ due < $0 }) ?? true else { return false }
            state.next = due
            return true
        }
        if isFirst { schedule(at: due) }
    }

    func remove(_ watch: IdleWatch) {
        _ = state.withLock { $0.watches.removeValue(forKey: ObjectIdentifier(watch)) }
    }

    private func schedule(at deadline: NIODeadline) {
        loop.scheduleTask(deadline: deadline) { [weak self] in self?.look(scheduledFor: deadline) }
    }

    private func look(scheduledFor deadline: NIODeadline) {
        let watches = state.withLock { state -> [IdleWatch] in
            // Another look that came before has planned the next one.
            guard state.next == deadline else { return [] }
            state.next = nil
            return state.watches.values.compactMap { $0.watch }
        }
        for watch in watches {
            if let due = watch.look() { add(watch, due: due) }
        }
    }
}
