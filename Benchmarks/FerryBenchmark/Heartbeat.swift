import Dispatch
import Synchronization

/// Beats on the main queue every millisecond and notes the longest time between two beats.
final class Heartbeat: Sendable {
    private struct State {
        var last = ContinuousClock.now
        var longest = Duration.zero
    }

    private let state = Mutex(State())

    init() { goOn() }

    /// The longest time without a beat since this was last asked. Not to be asked on the main queue.
    func longest() -> Duration {
        // A beat that is due comes before this.
        DispatchQueue.main.sync { beat() }
        return state.withLock { state in
            defer { state.longest = .zero }
            return state.longest
        }
    }

    private func goOn() {
        DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(1)) { [weak self] in
            self?.beat()
            self?.goOn()
        }
    }

    private func beat() {
        let now = ContinuousClock.now
        state.withLock { state in
            state.longest = max(state.longest, state.last.duration(to: now))
            state.last = now
        }
    }
}
