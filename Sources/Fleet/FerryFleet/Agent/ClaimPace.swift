/// When to claim, and how much beyond the slots.
struct ClaimPace: Hashable, Sendable {
    /// Seconds between two claims of an idle worker that is not notified of jobs.
    private let poll: Double
    /// Whether it is notified of jobs.
    var listens = false
    private var seed: UInt64
    /// When the next claim may find jobs.
    private(set) var due = -Double.infinity
    /// Another claim after a notification's: notifications that follow closely are not sent.
    private var secondLook: Double?
    /// Ends in the current and in the last complete window.
    private var windowStart = 0.0
    private var current = 0
    private var last = 0

    /// Length of a window in seconds: as far as claims look ahead.
    private static let window = 2.0
    private static let afterNotification = 0.2
    private static let afterContention = 0.02
    /// The interval of a worker that is notified of jobs. Its heartbeats tell what a lost notification did not.
    private static let whileListening = 60.0

    init(poll: Double, seed: UInt64) {
        self.poll = poll
        self.seed = seed
    }

    private var interval: Double { listens ? max(poll, Self.whileListening) : poll }

    /// Number of jobs to claim beyond the slots: as many as ended within the last seconds.
    var ahead: Int { max(current, last) }

    /// Jobs have ended: their origins may have room now.
    mutating func ended(_ count: Int, at now: Double) {
        if now - windowStart > Self.window {
            last = now - windowStart > 2 * Self.window ? 0 : current
            current = 0
            windowStart = now
        }
        current += count
        due = now
    }

    mutating func notified(at now: Double) {
        due = now
        secondLook = now + Self.afterNotification
    }

    /// A claim has answered.
    ///
    /// - Parameters:
    ///   - isFull: Whether it got everything that it asked for.
    ///   - next: Seconds until another may find more.
    mutating func claimed(isFull: Bool, next: Double, at now: Double) {
        if isFull {
            due = now
        } else if next <= 0 {
            // Others claim from the same origins at this moment.
            due = now + Self.afterContention * (1 + random())
        } else {
            due = now + min(next, interval * (0.8 + 0.4 * random()))
        }
        if let look = secondLook {
            due = min(due, max(look, now))
            secondLook = nil
        }
    }

    /// A claim may find jobs after this many seconds.
    mutating func expect(jobsAfter seconds: Double, at now: Double) { due = min(due, now + max(0, seconds)) }

    /// A number from 0 to 1 (SplitMix64).
    private mutating func random() -> Double {
        seed &+= 0x9E37_79B9_7F4A_7C15
        var word = seed
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return Double((word ^ (word >> 31)) >> 11) / Double(UInt64(1) << 53)
    }
}
