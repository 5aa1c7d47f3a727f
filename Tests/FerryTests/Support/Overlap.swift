import Foundation
import Synchronization

/// Counts how many threads are in a closure at a time.
final class Overlap: Sendable {
    private let counts = Mutex((inside: 0, most: 0))

    /// The largest number of threads that were inside at once.
    var most: Int { counts.withLock { $0.most } }

    /// Is inside long enough for another thread to come in if nothing keeps it out.
    func visit() {
        counts.withLock { counts in
            counts.inside += 1
            counts.most = max(counts.most, counts.inside)
        }
        for _ in 0..<200 { sched_yield() }
        counts.withLock { $0.inside -= 1 }
    }
}
