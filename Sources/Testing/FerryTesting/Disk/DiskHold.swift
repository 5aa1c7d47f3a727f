import Dispatch
import Synchronization

/// Blocks one kind of call for the files of one folder until released.
package final class DiskHold: Sendable {
    private struct State {
        var isReleased = false
        var held = 0
    }

    private let call: DiskCall
    private let folder: String
    private let state = Mutex(State())
    private let goesOn = DispatchSemaphore(value: 0)

    init(_ call: DiskCall, below folder: String) {
        self.call = call
        self.folder = folder
    }

    /// Number of blocked calls.
    package var count: Int { state.withLock(\.held) }

    /// Unblocks all calls, including later ones.
    package func release() {
        let held = state.withLock { state in
            state.isReleased = true
            defer { state.held = 0 }
            return state.held
        }
        for _ in 0..<held { goesOn.signal() }
    }

    func pass(_ call: DiskCall, _ path: String) {
        let hangs = state.withLock { state in
            guard call == self.call, path == folder || path.hasPrefix(folder + "/"), !state.isReleased else {
                return false
            }
            state.held += 1
            return true
        }
        if hangs { goesOn.wait() }
    }
}
