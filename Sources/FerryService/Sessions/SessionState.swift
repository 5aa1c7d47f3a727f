// Ferry: FerryService
// What the queue keeps of one session.

import FerryCore
import FerryEngine

/// What the queue keeps of one session.
struct SessionState: Sendable {
    var settings: SessionSettings
    let limiter: RateLimiter
    /// The stored order of its transfers by their ranks; empty where they come by age.
    var ranks: [TransferID: Int] = [:]
    /// What its client and servers have told each other; nil until somebody asks.
    var memory: SessionMemory?

    init(settings: SessionSettings) {
        self.settings = settings
        limiter = RateLimiter(rate: settings.rateLimit)
    }
}
