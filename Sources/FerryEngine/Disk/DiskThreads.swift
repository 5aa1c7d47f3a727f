import Dispatch
import Glibc
import Synchronization

/// Threads for blocking calls: as many as have work, a few at most for each lane.
///
/// A call that never returns keeps its thread and holds up its lane; other lanes get threads of their own. A thread without
/// work ends after a while.
final class DiskThreads: Sendable {
    /// Work, which is told why it cannot be done; nil if it is to be done.
    typealias Work = @Sendable (_ refusal: DiskError?) -> Void
    /// Starts a thread; false if the system gives none.
    typealias Starter = @Sendable (_ work: @escaping @Sendable () -> Void) -> Bool

    private struct Job {
        let lane: DiskLane
        let work: Work
    }

    /// Where a thread waits for its next job.
    private final class Seat: Sendable {
        let job = Mutex<Job?>(nil)
        let isTaken = DispatchSemaphore(value: 0)
    }

    private struct State {
        var lanes = DiskLanes<Work>()
        var seats: [Seat] = []
        var threads = 0
        var isClosed = false
        /// Who waits for the end of the last thread.
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private enum Start {
        case seat(Seat), thread, later, never
    }

    private static let ended = DiskError("Working on", "a file", errno: ECANCELED)
    private static let noThread = DiskError(
        "Starting a thread for", "work on files", errno: EAGAIN,
        advice:
            "This process, or this user, has as many threads as it may have; raise TasksMax= of ferryd's unit or ulimit -u."
    )
    /// How long a thread waits for work, in seconds.
    private static let patience = 10.0

    private let state = Mutex(State())
    private let startThread: Starter

    init(startThread: @escaping Starter = BlockingThread.start) { self.startThread = startThread }

    /// Does some work on a thread, once its lane has room for it.
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
        // The threads end with the engine: what is asked for after that is not done.
        case .never: work(Self.ended)
        }
    }

    private func serveOnNewThread(_ first: Job) {
        var job: Job? = first
        while let current = job {
            if startThread({ self.serve(current) }) { return }
            current.work(Self.noThread)
            // What waits in the lane may have been waiting for this work alone.
            let next = state.withLock { $0.lanes.ended(in: current.lane) }
            job = next.map { Job(lane: current.lane, work: $0) }
        }
        threadEnded()
    }

    private func serve(_ first: Job) {
        var job: Job? = first
        while let current = job {
            current.work(nil)
            let next = state.withLock { $0.lanes.ended(in: current.lane) }
            job = next.map { Job(lane: current.lane, work: $0) } ?? wait()
        }
        threadEnded()
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

    /// Waits for the next job; nil if the thread is to end.
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
            // The job that the seat was taken for is on its way.
            seat.isTaken.wait()
        }
        return seat.job.withLock(\.self)
    }

    /// Refuses what has not begun and what comes later, and waits for the end of what is being done.
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

/// Waiting for what may never come, such as the end of a call on a disk that does not answer.
package enum Patience {
    /// Waits for some work, and no longer than a limit; what has not ended then goes on by itself.
    ///
    /// - Returns: whether it has ended.
    @discardableResult
    package static func wait(
        atMost limit: Duration, for work: @escaping @Sendable () async -> Void
    ) async -> Bool {
        let (ends, end) = AsyncStream.makeStream(of: Bool.self)
        Task(name: "what is waited for") {
            await work()
            end.yield(true)
        }
        let clock = Task(name: "the limit of a wait") {
            try? await Task.sleep(for: limit)
            end.yield(false)
        }
        defer { clock.cancel() }
        for await isOver in ends { return isOver }
        return false
    }
}
