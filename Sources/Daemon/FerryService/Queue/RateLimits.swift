import FerryCore
import FerryEngine

/// The rate limiters that attempts share: of the service, of its uploads, and of each session.
struct RateLimits {
    /// Rate limiter of all transfers.
    let all: RateLimiter
    /// Rate limiter of all uploads.
    let uploads: RateLimiter
    private var ofSessions: [SessionID: RateLimiter] = [:]

    init(_ settings: ServiceSettings) {
        all = RateLimiter(rate: settings.currentRateLimit)
        uploads = RateLimiter(rate: settings.uploadRateLimit)
    }

    /// Returns the rate limiter of a session.
    ///
    /// - Parameter settings: The session's settings.
    mutating func limiter(of id: SessionID, _ settings: SessionSettings) -> RateLimiter {
        if let limiter = ofSessions[id] { return limiter }
        let limiter = RateLimiter(rate: settings.rateLimit)
        ofSessions[id] = limiter
        return limiter
    }

    func follow(_ settings: SessionSettings, of id: SessionID) { ofSessions[id]?.rate = settings.rateLimit }

    /// Applies changed global settings.
    func follow(_ settings: ServiceSettings) {
        all.rate = settings.currentRateLimit
        uploads.rate = settings.uploadRateLimit
    }
}
