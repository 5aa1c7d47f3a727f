// Ferry: FerryEngine
// How long bytes must wait under a rate limit.

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
