// Ferry: FerryURLSession
// How fast a task's data are handed on.

import FerryEngine

/// How fast a task's data are handed on, as `bytesPerSecondLimit` says; what is not handed on is not read from the server.
struct LoadPace: Sendable {
    private static let origin = ContinuousClock.now

    private var bucket: TokenBucket

    init(limit: Int64?) { bucket = TokenBucket(rate: RequestMapping.rate(limit), now: Self.nanoseconds(.now)) }

    /// - Parameter limit: bytes per second; nil is no limit.
    mutating func set(limit: Int64?) {
        bucket.setRate(RequestMapping.rate(limit), now: Self.nanoseconds(.now))
    }

    /// How many of the bytes that are there come next, and how long they have to wait.
    mutating func next(of count: Int, now: ContinuousClock.Instant) -> (count: Int, wait: Duration) {
        guard bucket.rate > 0 else { return (count, .zero) }
        // Pieces of a sixty-fourth of a second keep the flow even.
        let count = min(count, max(256, Int(bucket.rate / 64)))
        return (count, .nanoseconds(bucket.reserve(count, now: Self.nanoseconds(now))))
    }

    private static func nanoseconds(_ instant: ContinuousClock.Instant) -> UInt64 {
        let (seconds, attoseconds) = (instant - origin).components
        return UInt64(max(0, seconds)) * 1_000_000_000 + UInt64(max(0, attoseconds) / 1_000_000_000)
    }
}
