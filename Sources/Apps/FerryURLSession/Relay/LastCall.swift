import Glibc
import Synchronization

/// Whether a task's completion call has been made.
///
/// A delegate may exit the process in that call, which then never returns.
final class LastCall: Sendable {
    private enum State {
        case ahead
        case running(on: pthread_t)
        case returned
    }

    private let state = Mutex(State.ahead)

    func make(_ call: () -> Void) {
        state.withLock { $0 = .running(on: pthread_self()) }
        call()
        state.withLock { $0 = .returned }
    }

    /// Whether the call has returned or is running on this thread.
    var isMade: Bool {
        switch state.withLock({ $0 }) {
        case .ahead: false
        case .running(let thread): pthread_equal(thread, pthread_self()) != 0
        case .returned: true
        }
    }
}
