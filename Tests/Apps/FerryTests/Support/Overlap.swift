import Foundation
import Synchronization

/// Counts the threads that are inside a closure at the same time.
final class Overlap: Sendable {
    private let counts = Mutex((inside: 0, most: 0))

    /// Maximum number of threads inside at once.
    var most: Int { counts.withLock { $0.most } }

    /// Stays inside long enough for another thread to enter unless it is excluded.
    func visit() {
        counts.withLock { counts in
            counts.inside += 1
            counts.most = max(counts.most, counts.inside)
        }
        for _ in 0..<200 { sched_yield() }
        counts.withLock { $0.inside -= 1 }
    }
}
