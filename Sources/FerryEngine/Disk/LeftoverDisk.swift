// Ferry: FerryEngine
// Disk threads for folders that may not answer.

import NIOPosix
import Synchronization

/// Disk threads for what earlier processes left, in folders that may not answer: what hangs there holds up nothing else.
///
/// They start with the first call, as most processes have nothing to clean up.
package final class LeftoverDisk: Sendable {
    private enum State {
        case idle, started, ended
    }

    private let system: any DiskSystem
    private let threads = NIOThreadPool(numberOfThreads: 8)
    private let state = Mutex(State.idle)

    init(system: any DiskSystem) { self.system = system }

    /// The queue of these threads.
    package var queue: DiskQueue {
        state.withLock { state in
            guard state == .idle else { return }
            state = .started
            threads.start()
        }
        return DiskQueue(system: system, threads: threads)
    }

    /// Refuses all further calls; does not wait for those that hang.
    func end() {
        let wasStarted = state.withLock { state in
            defer { state = .ended }
            return state == .started
        }
        if wasStarted { threads.shutdownGracefully { _ in } }
    }

    /// Why a folder cannot be used; nil if it can be, or is not there.
    package func obstacle(at folder: String) async -> DiskError? {
        let opened = await queue.result { system throws(DiskError) in _ = try system.openFolder(folder) }
        guard case .failure(let error) = opened, error.errno != ENOENT, error.errno != ENOTDIR else { return nil }
        return error
    }
}
