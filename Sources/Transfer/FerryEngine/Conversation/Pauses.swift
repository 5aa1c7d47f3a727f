import FerryCore
import Synchronization

/// Pauses between the requests of one attempt or load. They end early when it ends.
final class Pauses: Sendable {
    private struct State {
        var isOver = false
        var sleeps: [Int: Task<Void, Never>] = [:]
        var next = 0
    }

    private let state = Mutex(State())

    /// Returns after this many seconds, or when the pauses have ended.
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

    /// Ends all current and future pauses.
    func end() {
        let sleeps = state.withLock { state in
            state.isOver = true
            return Array(state.sleeps.values)
        }
        for sleep in sleeps { sleep.cancel() }
    }
}
