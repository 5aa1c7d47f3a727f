// Ferry: FerryService
// What the queue keeps of one session.

import FerryCore
import FerryEngine

/// What the queue keeps of one session.
struct SessionState: Sendable {
    var settings: SessionSettings
    let limiter: RateLimiter
    /// What its client and servers have told each other; nil until somebody asks.
    var memory: SessionMemory?

    init(settings: SessionSettings) {
        self.settings = settings
        limiter = RateLimiter(rate: settings.rateLimit)
    }
}
