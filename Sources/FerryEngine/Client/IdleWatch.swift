// Ferry: FerryEngine
// A timer that costs nothing while bytes arrive.

import NIOCore
import Synchronization

/// Notices that nothing has happened for some time; held by whoever waits, until it is canceled.
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
