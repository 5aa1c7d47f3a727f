import NIOCore
import Synchronization

/// Notices that nothing has happened for some time. The method that waits holds it until it cancels it.
final class IdleWatch: Sendable {
    private let clock: WatchClock
    private let limit: TimeAmount
    private let activity: @Sendable () -> NIODeadline
    private let expired: @Sendable () -> Void
    private let isCanceled = Atomic(false)

    init(
        on clock: WatchClock, limit: TimeAmount, activity: @escaping @Sendable () -> NIODeadline,
        expired: @escaping @Sendable () -> Void
    ) {
        self.clock = clock
        self.limit = limit
        self.activity = activity
        self.expired = expired
        clock.add(self, due: .now() + limit)
    }

    deinit { clock.remove(self) }

    func cancel() {
        isCanceled.store(true, ordering: .relaxed)
        clock.remove(self)
    }

    /// Expires if the time has come.
    ///
    /// - Returns: when it is to be looked at again; nil once it has expired or is canceled.
    func look() -> NIODeadline? {
        guard !isCanceled.load(ordering: .relaxed) else { return nil }
        let due = activity() + limit
        guard due <= .now() else { return due }
        clock.remove(self)
        expired()
        return nil
    }
}

/// Looks at the watches of an event loop when the first of them may be due: one timer serves all of them.
final class WatchClock: Sendable {
    private struct Weak: Sendable {
        weak let watch: IdleWatch?
    }

    private struct State {
        var watches: [ObjectIdentifier: Weak] = [:]
        /// When the watches are looked at next; nil if no look is scheduled.
        var next: NIODeadline?
    }

    private let loop: any EventLoop
    private let state = Mutex(State())

    init(loop: any EventLoop) { self.loop = loop }

    /// Looks at a watch from its due time on. Keeps only a weak reference.
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

/// How long the engine waits for a server, in seconds. Time in which the engine itself does not read does not count.
package struct Timeouts: Hashable, Sendable {
    /// DNS, proxy and TLS included.
    package var connect: Double = 30
    /// Whether the time of the connection is the request's own, in place of the engine's.
    package var boundsConnection = false
    /// From the last byte of the request to the end of the response head.
    package var head: Double = 60
    /// From the beginning to the end of the response head, while no connection has taken the request.
    package var unanswered: Double = 90
    /// Without a byte of the body.
    package var idle: Double = 60

    package init() {}

    /// Takes the time that a request itself names for its connections.
    mutating func bound(connecting seconds: Double) {
        connect = min(connect, seconds)
        boundsConnection = true
    }

    /// Takes another time without a byte, which the connection and the head have together.
    mutating func limit(to seconds: Double) {
        connect = min(connect, seconds)
        (head, idle, unanswered) = (seconds, seconds, seconds)
    }
}
