package import FerryCore
import NIOCore
import Synchronization

/// A token bucket, one second deep, that hands out reservations in the order in which they are asked for.
package struct TokenBucket: Sendable {
    /// Bytes per second; 0 is no limit.
    package private(set) var rate: Int64
    private var tokens: Double = 0
    /// Nanoseconds of a clock that never steps back.
    private var filledAt: UInt64

    /// Starts empty: a limit that begins allows no burst.
    package init(rate: Int64, now: UInt64) {
        self.rate = rate
        self.filledAt = now
    }

    package mutating func setRate(_ rate: Int64, now: UInt64) {
        fill(now)
        // What is owed keeps its time: a debt of a fast limit would hold a slow one up for long.
        if tokens < 0 { tokens = self.rate > 0 ? tokens / Double(self.rate) * Double(rate) : 0 }
        self.rate = rate
        tokens = min(tokens, Double(rate))
    }

    /// Takes bytes out and says how many nanoseconds to wait before they may pass.
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

/// A rate limit that several transfers share; may be changed at any time from any thread.
package final class RateLimiter: Sendable {
    private let bucket: Mutex<TokenBucket>
    /// The limit, readable without the lock: the usual answer on the hot path is that there is none.
    private let rateValue: Atomic<Int64>

    package init(rate: Int64 = 0) {
        bucket = Mutex(TokenBucket(rate: rate, now: NIODeadline.now().uptimeNanoseconds))
        rateValue = Atomic(rate)
    }

    /// Bytes per second; 0 is no limit.
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

/// The limits that one transfer's bytes pass: its own, its session's and the daemon's.
package final class RateGate: Sendable {
    private let limiters: [RateLimiter]
    private let weight: Atomic<Int>

    package init(_ limiters: [RateLimiter], priority: Priority) {
        self.limiters = limiters
        weight = Atomic(priority.weight)
    }

    /// The same with one more limit.
    package func adding(_ limiter: RateLimiter) -> RateGate {
        RateGate(limiters + [limiter], weight: weight.load(ordering: .relaxed))
    }

    private init(_ limiters: [RateLimiter], weight: Int) {
        self.limiters = limiters
        self.weight = Atomic(weight)
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
