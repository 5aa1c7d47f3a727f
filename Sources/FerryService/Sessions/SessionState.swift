// Ferry: FerryService
// What the queue keeps of one session.

import FerryCore
import FerryEngine

/// What the queue keeps of one session.
struct SessionState: Sendable {
    var settings: SessionSettings
    let limiter: RateLimiter

    init(settings: SessionSettings) {
        self.settings = settings
        limiter = RateLimiter(rate: settings.rateLimit)
    }
}
