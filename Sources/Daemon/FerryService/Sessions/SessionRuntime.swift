import FerryCore
import FerryEngine
import FerryRules

/// State shared by a session's runs, and the apps' connections. Owned by the service. Makes no decisions.
struct SessionRuntime {
    /// Rate limiter of all transfers.
    let limiter: RateLimiter
    /// Rate limiter of all uploads.
    let uploads: RateLimiter
    private var limiters: [SessionID: RateLimiter] = [:]
    /// Sessions' stored answers and cookies, loaded on demand.
    private(set) var memories: [SessionID: SessionMemory] = [:]
    private var signals: [Int: AsyncThrowingStream<ApplicationSignal, any Error>.Continuation] = [:]
    private var areConnectionsEnded = false
    /// Changes of settings in progress.
    var settingsLocks = SettingsLocks()

    init(_ settings: ServiceSettings) {
        limiter = RateLimiter(rate: settings.currentRateLimit)
        uploads = RateLimiter(rate: settings.uploadRateLimit)
    }

    // MARK: Rates

    /// Returns the rate limiter of a session.
    ///
    /// - Parameter settings: The session's settings.
    mutating func limiter(of id: SessionID, _ settings: SessionSettings) -> RateLimiter {
        if let limiter = limiters[id] { return limiter }
        let limiter = RateLimiter(rate: settings.rateLimit)
        limiters[id] = limiter
        return limiter
    }

    func follow(_ settings: SessionSettings, of id: SessionID) { limiters[id]?.rate = settings.rateLimit }

    /// Applies changed global settings to the rate limiters.
    func follow(_ settings: ServiceSettings) {
        limiter.rate = settings.currentRateLimit
        uploads.rate = settings.uploadRateLimit
    }

    // MARK: Memories

    /// Returns the memory of a session, creating it with these cookies if necessary.
    mutating func memory(
        of id: SessionID, cookies: TransferCookies, clock: any MachineClock
    ) -> SessionMemory {
        if let memory = memories[id] { return memory }
        let memory = SessionMemory(cookies: cookies, clock: clock)
        memories[id] = memory
        return memory
    }

    // MARK: Connections of run loops

    mutating func connect(_ token: Int, _ signals: AsyncThrowingStream<ApplicationSignal, any Error>.Continuation) {
        // Nothing would end one that came after the others had ended.
        if areConnectionsEnded { return signals.finish() }
        self.signals[token] = signals
    }

    mutating func disconnect(_ token: Int) { signals[token] = nil }

    func signal(_ token: Int, _ signal: ApplicationSignal) { signals[token]?.yield(signal) }

    mutating func endConnections() {
        areConnectionsEnded = true
        for signals in signals.values { signals.finish() }
    }
}
