import Synchronization

/// Bounds how many bytes of requests the daemon holds at once, however many connections they come over.
final class BodyBudget: Sendable {
    private let left: Mutex<Int>

    /// - Parameter most: Bytes of all requests that are not answered.
    init(most: Int) { left = Mutex(most) }

    /// Takes room; false if there is not enough.
    func take(_ count: Int) -> Bool {
        left.withLock { left in
            guard count <= left else { return false }
            left -= count
            return true
        }
    }

    func giveBack(_ count: Int) { left.withLock { $0 += count } }
}
