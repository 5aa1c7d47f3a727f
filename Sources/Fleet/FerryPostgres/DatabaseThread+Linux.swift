import FerryCore
import Glibc
import Synchronization

/// A thread for the blocking calls of one database connection, as an actor's executor.
///
/// While it has nothing to do, it waits for the connection's socket too, so that notifications arrive without polling.
final class DatabaseThread: SerialExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var isEnded = false
        /// The connection's socket, or -1.
        var socket: Int32 = -1
        var onReadable: (@Sendable () -> Void)?
        var thread: pthread_t?
    }

    private let state = Mutex(State())
    /// A pipe whose bytes wake the thread.
    private let bell: (reading: Int32, writing: Int32)

    init() {
        var ends: [Int32] = [-1, -1]
        precondition(unsafe pipe(&ends) == 0, "The system has no descriptors left.")
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        bell = (ends[0], ends[1])
        let thread = unsafe Unmanaged.passRetained(self)
        var handle = pthread_t()
        let status = unsafe pthread_create(
            &handle, nil,
            {
                unsafe Unmanaged<DatabaseThread>.fromOpaque($0!).takeRetainedValue().run(); return nil
            },  // SAFETY: `toOpaque` below
            thread.toOpaque())
        precondition(status == 0, "The system cannot start a thread: \(status).")
        pthread_detach(handle)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs.append(job) }
        ring()
    }

    /// Watches a connection's socket while the thread is idle.
    ///
    /// - Parameter onReadable: Called on the thread. Must read what has arrived.
    func watch(_ socket: Int32, onReadable: (@Sendable () -> Void)?) {
        state.withLock { state in
            state.socket = socket
            state.onReadable = onReadable
        }
    }

    /// Ends the thread once all jobs have run. No further jobs may be enqueued.
    func end() {
        state.withLock { $0.isEnded = true }
        ring()
    }

    private func ring() {
        // A full pipe wakes the thread too.
        var byte: UInt8 = 0
        _ = unsafe write(bell.writing, &byte, 1)
    }

    /// Called by `assumeIsolated` in ``watch(_:onReadable:)``'s closure, which runs outside a job.
    func checkIsolated() {
        precondition(state.withLock { $0.thread } == pthread_self(), "Not on the database's thread.")
    }

    private func run() {
        state.withLock { $0.thread = pthread_self() }
        while true {
            let (jobs, isEnded, socket, onReadable) = state.withLock { state in
                let jobs = state.jobs
                state.jobs = []
                return (jobs, state.isEnded, state.socket, state.onReadable)
            }
            for job in jobs { unsafe job.runSynchronously(on: asUnownedSerialExecutor()) }
            if !jobs.isEmpty { continue }
            if isEnded { break }
            var polled = [
                pollfd(fd: bell.reading, events: Int16(POLLIN), revents: 0),
                pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
            ]
            guard unsafe poll(&polled, 2, -1) > 0 else { continue }
            if polled[0].revents != 0 {
                var bytes = [UInt8](repeating: 0, count: 64)
                _ = unsafe read(bell.reading, &bytes, bytes.count)
            }
            if polled[1].revents != 0 { onReadable?() }
        }
        close(bell.reading)
        close(bell.writing)
    }
}
