import FerryCore
import NIOCore
import Synchronization

/// Detects inactivity. The waiting method holds the watch until it cancels it.
final class IdleWatch: Sendable {
    /// Ten years in seconds: longer than any exchange, and representable in nanoseconds.
    static let longest = 3650.0 * 86_400

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

    /// Returns the error of an exchange that was inactive for too long.
    static func expiry(of url: HTTPURL, _ message: String, after seconds: Double) -> ServiceError {
        ServiceError(
            .timedOut, "\(url.host) \(message) for \(Int(seconds)) s.", details: ErrorDetails(url: url.redacted))
    }

    func cancel() {
        isCanceled.store(true, ordering: .relaxed)
        clock.remove(self)
    }

    /// Expires if the time has come.
    ///
    /// - Returns: The time of the next check, or `nil` if the watch is expired or canceled.
    func check() -> NIODeadline? {
        guard !isCanceled.load(ordering: .relaxed) else { return nil }
        let due = activity() + limit
        guard due <= .now() else { return due }
        clock.remove(self)
        expired()
        return nil
    }
}

extension TimeAmount {
    /// Returns a time in seconds as an amount, at most ``IdleWatch/longest``.
    static func wait(_ seconds: Double) -> TimeAmount { .nanoseconds(Int64(min(seconds, IdleWatch.longest) * 1e9)) }
}

/// Checks the watches of an event loop when the first of them may be due. One timer serves all watches.
final class WatchClock: Sendable {
    private struct Weak: Sendable {
        weak let watch: IdleWatch?
    }

    private struct State {
        var watches: [ObjectIdentifier: Weak] = [:]
        /// Time of the next check, or `nil` if none is scheduled.
        var next: NIODeadline?
    }

    private let loop: any EventLoop
    private let state = Mutex(State())

    init(loop: any EventLoop) { self.loop = loop }

    /// Checks a watch from its due time on. Keeps only a weak reference.
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
        loop.scheduleTask(deadline: deadline) { [weak self] in self?.check(scheduledFor: deadline) }
    }

    private func check(scheduledFor deadline: NIODeadline) {
        let watches = state.withLock { state -> [IdleWatch] in
            // An earlier check has already scheduled the next one.
            guard state.next == deadline else { return [] }
            state.next = nil
            return state.watches.values.compactMap { $0.watch }
        }
        for watch in watches {
            if let due = watch.check() { add(watch, due: due) }
        }
    }
}

/// How long the engine waits for a server, in seconds. Time in which the engine itself does not read is not counted.
package struct Timeouts: Hashable, Sendable {
    /// Connecting, including DNS, proxy and TLS.
    package var connect: Double = 30
    /// Whether `connect` is the request's own limit instead of the engine's.
    package var boundsConnection = false
    /// From the last byte of the request to the end of the response head.
    package var head: Double = 60
    /// From the beginning to the end of the response head, while no connection has taken the request.
    package var unanswered: Double = 90
    /// Time without a byte of the body.
    package var idle: Double = 60
    /// TLS handshake, and from the request to its head, with an address that has not responded yet, while the host has
    /// one of another family.
    package var unproven: Double = 10

    package init() {}

    /// Applies the request's own time limit for connecting.
    mutating func bound(connecting seconds: Double) {
        connect = min(connect, seconds)
        boundsConnection = true
    }

    /// Applies another idle time. Connecting and waiting for the head share the same time.
    mutating func limit(to seconds: Double) {
        connect = min(connect, seconds)
        (head, idle, unanswered) = (seconds, seconds, seconds)
    }
}
