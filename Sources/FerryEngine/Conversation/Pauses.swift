import FerryCore
import Synchronization

/// Pauses between the requests of one attempt or load, which its end cuts short.
final class Pauses: Sendable {
    private struct State {
        var isOver = false
        var sleeps: [Int: Task<Void, Never>] = [:]
        var next = 0
    }

    private let state = Mutex(State())

    /// Returns after so many seconds, or once the pauses have ended.
    func wait(seconds: Double) async {
        let sleep = Task(name: "pause between requests") { _ = try? await Task.sleep(for: .wait(seconds: seconds)) }
        let number = state.withLock { state in
            state.next += 1
            state.sleeps[state.next] = sleep
            if state.isOver { sleep.cancel() }
            return state.next
        }
        await sleep.value
        state.withLock { $0.sleeps[number] = nil }
    }

    /// Ends all pauses, those to come among them.
    func end() {
        let sleeps = state.withLock { state in
            state.isOver = true
            return Array(state.sleeps.values)
        }
        for sleep in sleeps { sleep.cancel() }
    }
}
