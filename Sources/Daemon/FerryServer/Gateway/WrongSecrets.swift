import Synchronization

/// Delays responses to wrong secrets and limits how many are pending, so that guessing is slow over any number of
/// connections.
final class WrongSecrets: Sendable {
    /// Delay of a response.
    static let delay = Duration.seconds(1)
    /// Maximum number of delayed responses.
    static let most = 8

    private let waiting = Mutex(0)
    private let sleep: @Sendable (Duration) async -> Void

    init(sleep: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }) {
        self.sleep = sleep
    }

    /// Waits before the response to a wrong secret.
    ///
    /// - Returns: False if too many are already waiting. The request then gets an immediate 429 response.
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
