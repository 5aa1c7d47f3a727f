import Synchronization

/// Lets answers to wrong secrets wait, and few of them at a time: guesses are slow, however many connections make them.
final class WrongSecrets: Sendable {
    /// How long an answer waits.
    static let delay = Duration.seconds(1)
    /// Answers that wait at a time.
    static let most = 8

    private let waiting = Mutex(0)
    private let sleep: @Sendable (Duration) async -> Void

    init(sleep: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }) {
        self.sleep = sleep
    }

    /// Waits before a wrong secret is answered.
    ///
    /// - Returns: false if so many wait already that this one is answered at once, with 429.
    func wait() async -> Bool {
        let hasPlace = waiting.withLock { waiting in
            guard waiting < Self.most else { return false }
            waiting += 1
            return true
        }
        guard hasPlace else { return false }
        await sleep(Self.delay)
        waiting.withLock { $0 -= 1 }
        return true
    }
}
