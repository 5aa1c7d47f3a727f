// Ferry: FerryEngine
// A rate limit that several transfers share.

import NIOCore
import Synchronization

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
