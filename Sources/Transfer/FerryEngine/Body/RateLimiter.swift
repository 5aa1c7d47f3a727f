package import FerryCore
import NIOCore
import Synchronization

/// A token bucket, one second deep, that grants reservations in the order of the calls.
package struct TokenBucket: Sendable {
    /// Bytes per second. 0 means unlimited.
    package private(set) var rate: Int64
    private var tokens: Double = 0
    /// Time of the last refill, in nanoseconds of a monotonic clock.
    private var filledAt: UInt64

    /// Creates an empty bucket: a new limit allows no burst.
    package init(rate: Int64, now: UInt64) {
        self.rate = rate
        self.filledAt = now
    }

    package mutating func setRate(_ rate: Int64, now: UInt64) {
        fill(now)
        // Keep the debt's duration, not its bytes: a debt made at a fast rate would block a slow one for long.
        if tokens < 0 { tokens = self.rate > 0 ? tokens / Double(self.rate) * Double(rate) : 0 }
        self.rate = rate
        tokens = min(tokens, Double(rate))
    }

    /// Takes bytes out.
    ///
    /// - Returns: Nanoseconds to wait before the bytes may pass.
    package mutating func reserve(_ count: Int, now: UInt64) -> UInt64 {
        guard rate > 0 else { return 0 }
        fill(now)
        tokens -= Double(count)
        return tokens >= 0 ? 0 : UInt64(-tokens / Double(rate) * 1e9)
    }

    private mutating func fill(_ now: UInt64) {
        defer { filledAt = max(now, filledAt) }
        guard rate > 0, now > filledAt else { return }
        tokens = min(Double(rate), tokens + Double(now - filledAt) / 1e9 * Double(rate))
    }
}

/// A rate limit shared by several transfers. Can be changed at any time from any thread.
package final class RateLimiter: Sendable {
    private let bucket: Mutex<TokenBucket>
    /// The rate, readable without the lock: on the hot path there usually is no limit.
    private let rateValue: Atomic<Int64>

    package init(rate: Int64 = 0) {
        bucket = Mutex(TokenBucket(rate: rate, now: NIODeadline.now().uptimeNanoseconds))
        rateValue = Atomic(rate)
    }

    /// Bytes per second. 0 means unlimited.
    package var rate: Int64 {
        get { rateValue.load(ordering: .relaxed) }
        set {
            bucket.withLock { $0.setRate(newValue, now: NIODeadline.now().uptimeNanoseconds) }
            rateValue.store(newValue, ordering: .relaxed)
        }
    }

    func reserve(_ count: Int) -> UInt64 {
        guard rate > 0 else { return 0 }
        return bucket.withLock { $0.reserve(count, now: NIODeadline.now().uptimeNanoseconds) }
    }
}

/// The limits on one transfer's bytes: its own, its session's and the daemon's.
package final class RateGate: Sendable {
    private let limiters: [RateLimiter]
    private let weight: Atomic<Int>

    package init(_ limiters: [RateLimiter], priority: Priority) {
        self.limiters = limiters
        weight = Atomic(priority.weight)
    }

    /// Returns this gate with one more limit.
    package func adding(_ limiter: RateLimiter) -> RateGate {
        RateGate(limiters + [limiter], weight: weight.load(ordering: .relaxed))
    }

    private init(_ limiters: [RateLimiter], weight: Int) {
        self.limiters = limiters
        self.weight = Atomic(weight)
    }

    package func setPriority(_ priority: Priority) { weight.store(priority.weight, ordering: .relaxed) }

    var isOpen: Bool { limiters.allSatisfy { $0.rate == 0 } }

    /// Number of bytes to reserve at a time.
    ///
    /// Each transfer has one reservation at a time and the limiters serve them in order, so a larger piece gives a
    /// higher priority its larger share.
    package var pieceSize: Int {
        let slowest = limiters.lazy.map(\.rate).filter { $0 > 0 }.min() ?? Int64.max
        let piece = max(256, min(32 << 10, slowest / 64))
        return Int(piece) * weight.load(ordering: .relaxed)
    }

    /// Returns the nanoseconds to wait before this many bytes may pass.
    func reserve(_ count: Int) -> UInt64 {
        limiters.reduce(0) { max($0, $1.reserve(count)) }
    }
}
