import FerryCore
import FerryEngine

/// What runs of a session share, and the connections of apps. Owned by the service; it decides nothing.
struct SessionRuntime {
    /// Slows all transfers.
    let limiter: RateLimiter
    /// Slows all uploads.
    let uploads: RateLimiter
    private var limiters: [SessionID: RateLimiter] = [:]
    /// What the clients of sessions and servers have told each other; only of sessions for which it was asked.
    private(set) var memories: [SessionID: SessionMemory] = [:]
    private var signals: [Int: AsyncThrowingStream<ApplicationSignal, any Error>.Continuation] = [:]

    init(_ settings: ServiceSettings) {
        limiter = RateLimiter(rate: settings.currentRateLimit)
        uploads = RateLimiter(rate: settings.uploadRateLimit)
    }

    // MARK: Rates

    /// Slows the transfers of a session.
    ///
    /// - Parameter settings: the session's.
    mutating func limiter(of id: SessionID, _ settings: SessionSettings) -> RateLimiter {
        if let limiter = limiters[id] { return limiter }
        let limiter = RateLimiter(rate: settings.rateLimit)
        limiters[id] = limiter
        return limiter
    }

    func follow(_ settings: SessionSettings, of id: SessionID) { limiters[id]?.rate = settings.rateLimit }

    /// Slows all transfers by other settings of the daemon.
    func follow(_ settings: ServiceSettings) {
        limiter.rate = settings.currentRateLimit
        uploads.rate = settings.uploadRateLimit
    }

    // MARK: Memories

    /// The memory of a session; made with these cookies if there is none.
    mutating func memory(of id: SessionID, cookies: TransferCookies) -> SessionMemory {
        if let memory = memories[id] { return memory }
        let memory = SessionMemory(cookies: cookies)
        memories[id] = memory
        return memory
    }

    // MARK: Connections of run loops

    mutating func connect(_ token: Int, _ signals: AsyncThrowingStream<ApplicationSignal, any Error>.Continuation) {
        self.signals[token] = signals
    }

    mutating func disconnect(_ token: Int) { signals[token] = nil }

    func signal(_ token: Int, _ signal: ApplicationSignal) { signals[token]?.yield(signal) }

    func endConnections() {
        for signals in signals.values { signals.finish() }
    }
}
