import Dispatch
import FerryDisk
import Glibc
import Synchronization

/// Threads for blocking calls: as many as have work, with a small maximum per lane.
///
/// A call that never returns keeps its thread and blocks its lane. Other lanes get their own threads. An idle thread
/// ends after a while.
final class DiskThreads: DiskWorkers {
    /// Starts a thread. Returns false if the system refuses one.
    typealias Starter = @Sendable (_ work: @escaping @Sendable () -> Void) -> Bool

    private struct Job {
        let lane: DiskLane
        let work: Work
    }

    /// A thread's place to get its next job.
    private final class Seat: Sendable {
        let job: Mutex<Job?>
        let isTaken = DispatchSemaphore(value: 0)

        init(_ job: Job? = nil) { self.job = Mutex(job) }

        func take() -> Job? { job.withLock { $0.take() } }
    }

    private struct State {
        var lanes = DiskLanes<Work>()
        var seats: [Seat] = []
        var threads = 0
        var isClosed = false
        /// Continuations to resume when the last thread ends.
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private enum Start {
        case seat(Seat), thread, later, never
    }

    private static let ended = DiskError("Working on", "a file", errno: ECANCELED)
    private static let noThread = DiskError(
        "Starting a thread for", "work on files", errno: EAGAIN,
        advice:
            "This process or user has reached its limit of threads; raise TasksMax= of ferryd's unit or ulimit -u."
    )
    /// Time an idle thread waits for work, in seconds.
    private static let patience = 10.0

    private let state = Mutex(State())
    private let startThread: Starter

    init(startThread: @escaping Starter = BlockingThread.start) { self.startThread = startThread }

    func run(in lane: DiskLane, _ work: @escaping Work) {
        let start = state.withLock { state -> Start in
            guard !state.isClosed else { return .never }
            guard state.lanes.add(work, to: lane) != nil else { return .later }
            if let seat = state.seats.popLast() { return .seat(seat) }
            state.threads += 1
            return .thread
        }
        let job = Job(lane: lane, work: work)
        switch start {
        case .seat(let seat):
            seat.job.withLock { $0 = job }
            seat.isTaken.signal()
        case .thread: serveOnNewThread(job)
        case .later: break
        // The threads end with the engine. Later work is refused.
        case .never: work(Self.ended)
        }
    }

    private func serveOnNewThread(_ first: Job) {
        var job: Job? = first
        while let current = job.take() {
            // The thread takes the job out: what its closure holds, such as an open folder, is released with the job.
            let seat = Seat(current)
            if startThread({ self.serve(seat) }) { return }
            current.work(Self.noThread)
            // Waiting work of the lane may have waited only for this job.
            let next = state.withLock { $0.lanes.ended(in: current.lane) }
            job = next.map { Job(lane: current.lane, work: $0) }
        }
        threadEnded()
    }

    private func serve(_ first: Seat) {
        var job = first.take()
        while let lane = perform(&job) {
            let next = state.withLock { $0.lanes.ended(in: lane) }
            job = next.map { Job(lane: lane, work: $0) } ?? wait()
        }
        threadEnded()
    }

    /// Runs a job and releases its closure.
    ///
    /// - Returns: The job's lane, or `nil` if there is no job.
    private func perform(_ job: inout Job?) -> DiskLane? {
        guard let current = job.take() else { return nil }
        current.work(nil)
        return current.lane
    }

    private func threadEnded() {
        let waiters = state.withLock { state in
            state.threads -= 1
            guard state.threads == 0 else { return [CheckedContinuation<Void, Never>]() }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits for the next job. `nil` ends the thread.
    private func wait() -> Job? {
        let seat = Seat()
        guard
            state.withLock({ state in
                if !state.isClosed { state.seats.append(seat) }
                return !state.isClosed
            })
        else { return nil }
        if seat.isTaken.wait(timeout: .now() + Self.patience) == .timedOut {
            let isLeft = state.withLock { state in
                let count = state.seats.count
                state.seats.removeAll { $0 === seat }
                return state.seats.count < count
            }
            if isLeft { return nil }
            // The job for the taken seat is about to arrive.
            seat.isTaken.wait()
        }
        return seat.take()
    }

    func shutdown() async {
        let (waiting, seats) = state.withLock { state in
            state.isClosed = true
            defer { state.seats = [] }
            return (state.lanes.removeWaiting(), state.seats)
        }
        for work in waiting { work(Self.ended) }
        for seat in seats { seat.isTaken.signal() }
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.threads > 0 { state.waiters.append(continuation) }
                return state.threads == 0
            }
            if isOver { continuation.resume() }
        }
    }
}

/// Waiting with a limit for work that may never finish, such as a call on a disk that does not respond.
package enum Patience {
    /// Waits for work up to a limit. Unfinished work then continues in the background.
    ///
    /// - Parameter clock: The clock of the limit.
    /// - Returns: Whether the work has finished.
    @discardableResult
    package static func wait(
        atMost limit: Duration, by clock: any MachineClock, for work: @escaping @Sendable () async -> Void
    ) async -> Bool {
        let (ends, end) = AsyncStream.makeStream(of: Bool.self)
        Task(name: "what is waited for") {
            await work()
            end.yield(true)
        }
        let timer = Task(name: "the limit of a wait") {
            try? await clock.sleep(for: limit)
            end.yield(false)
        }
        defer { timer.cancel() }
        for await isOver in ends { return isOver }
        return false
    }
}
