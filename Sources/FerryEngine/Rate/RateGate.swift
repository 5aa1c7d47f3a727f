// Ferry: FerryEngine
// The limits that one transfer's bytes pass.

package import FerryCore
import Synchronization

/// The limits that one transfer's bytes pass: its own, its session's and the daemon's.
package final class RateGate: Sendable {
    private let limiters: [RateLimiter]
    private let weight: Atomic<Int>

    package init(_ limiters: [RateLimiter], priority: Priority) {
        self.limiters = limiters
        weight = Atomic(priority.weight)
    }

    package func setPriority(_ priority: Priority) { weight.store(priority.weight, ordering: .relaxed) }

    var isOpen: Bool { limiters.allSatisfy { $0.rate == 0 } }

    /// How many bytes to ask for at a time.
    ///
    /// Each transfer has one reservation at a time and the limiters serve them in turn, so the size of the piece is
    /// what gives a higher priority its larger share.
    package var pieceSize: Int {
        let slowest = limiters.lazy.map(\.rate).filter { $0 > 0 }.min() ?? Int64.max
        let piece = max(256, min(32 << 10, slowest / 64))
        return Int(piece) * weight.load(ordering: .relaxed)
    }

    /// Nanoseconds to wait before this many bytes may pass.
    func reserve(_ count: Int) -> UInt64 {
        limiters.reduce(0) { max($0, $1.reserve(count)) }
    }
}
