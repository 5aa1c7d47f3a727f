import Synchronization

/// Lives as long as the stream of one reader, and says once when that is over.
final class LeaveGuardian: Sendable {
    private let ended: @Sendable () -> Void
    private let hasLeft = Mutex(false)

    init(_ ended: @escaping @Sendable () -> Void) { self.ended = ended }

    deinit { leave() }

    func leave() {
        let isFirst = hasLeft.withLock { hasLeft in
            defer { hasLeft = true }
            return !hasLeft
        }
        if isFirst { ended() }
    }
}
