// Ferry: FerryEngine
// A timer that costs nothing while bytes arrive.

import NIOCore
import Synchronization

/// Notices that nothing has happened for some time: one timer per limit that has passed, none per packet.
final class IdleWatch: Sendable {
    private let loop: any EventLoop
    private let limit: TimeAmount
    private let activity: @Sendable () -> NIODeadline
    private let expired: @Sendable () -> Void
    private let isCanceled = Atomic(false)

    init(
        on loop: any EventLoop, limit: TimeAmount, activity: @escaping @Sendable () -> NIODeadline,
        expired: @escaping @Sendable () -> Void
    ) {
        self.loop = loop
        self.limit = limit
        self.activity = activity
        self.expired = expired
        schedule(at: .now() + limit)
    }

    func cancel() { isCanceled.store(true, ordering: .relaxed) }

    private func schedule(at deadline: NIODeadline) {
        // The timer keeps only a weak hold, so that a watch that was let go costs nothing until it fires.
        loop.scheduleTask(deadline: deadline) { [weak self] in
            guard let self, !isCanceled.load(ordering: .relaxed) else { return }
            let due = activity() + limit
            if due <= .now() { expired() } else { schedule(at: due) }
        }
    }
}
