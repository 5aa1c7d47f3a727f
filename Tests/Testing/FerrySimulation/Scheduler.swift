import CTaskHooks
import FerryCore
import Foundation

/// The order in which ready jobs run.
package enum JobOrder: String, Codable, CaseIterable, Sendable {
    /// Any order that the language permits.
    case any
    /// First in, first out, as a default actor has it. Events of the world come in between at any time.
    case arrival
}

/// Runs the jobs of tasks and actors, the events of the simulated world and its timers one at a time, on the caller's
/// thread, in an order that follows from a seed.
///
/// The same seed and the same calls lead to the same order.
final class Scheduler: @unchecked Sendable {  // SAFETY: Used on one thread only: jobs run in `step`.
    enum Job {
        case isolated(UnownedJob)
        /// A job that the runtime would have given to its thread pool.
        case pooled(UnownedJob)
    }

    private struct Timer {
        let due: Int64
        let number: Int
        let fire: () -> Void
    }

    /// Numbers for the choices of this scheduler and of the world's events.
    var numbers: SeededNumbers
    let order: JobOrder
    private let thread = pthread_self()
    private var jobs: [Job] = []
    private var head = 0
    private var events: [() -> Void] = []
    private var timers: [Timer] = []
    private var lastTimer = 0
    /// Virtual time since the beginning, in nanoseconds.
    private(set) var now: Int64 = 0
    private(set) var steps = 0
    /// Changes with every choice and note.
    private(set) var trace: UInt64 = 0xCBF2_9CE4_8422_2325
    private(set) var isStepping = false
    /// All notes, if they are kept.
    private(set) var log: [String]?

    init(seed: UInt64, order: JobOrder, keepsLog: Bool) {
        numbers = SeededNumbers(seed: seed)
        self.order = order
        if keepsLog { log = [] }
    }

    // MARK: The trace

    func mix(_ value: UInt64) { trace = (trace ^ value) &* 0x0000_0100_0000_01B3 }

    func note(_ text: @autoclosure () -> String) {
        let text = text()
        for byte in text.utf8 { mix(UInt64(byte)) }
        log?.append("\(Double(now / 1_000_000) / 1000) \(text)")
    }

    /// Adds a line to the log that is no part of the trace.
    func comment(_ text: @autoclosure () -> String) { log?.append("\(Double(now / 1_000_000) / 1000) \(text())") }

    // MARK: Future work

    func add(_ job: Job) {
        precondition(pthread_equal(pthread_self(), thread) != 0, "A job comes from another thread.")
        jobs.append(job)
    }

    /// Adds an event that happens at any time from now on. Much comes before a slow one.
    func event(isSlow: Bool = false, _ body: @escaping () -> Void) {
        guard isSlow else { return events.append(body) }
        events.append { [self] in event(isSlow: !numbers.once(in: 8), body) }
    }

    /// Adds a timer. Returns its number.
    @discardableResult
    func timer(after nanoseconds: Int64, _ body: @escaping () -> Void) -> Int {
        lastTimer += 1
        timers.append(Timer(due: now + max(0, nanoseconds), number: lastTimer, fire: body))
        return lastTimer
    }

    func removeTimer(_ number: Int) { timers.removeAll { $0.number == number } }

    /// Advances the time without firing timers: they are late then.
    func pass(_ nanoseconds: Int64) { now += nanoseconds }

    var hasJobs: Bool { jobs.count > head }
    /// Whether only timers are left.
    var isIdle: Bool { !hasJobs && events.isEmpty }
    var hasTimers: Bool { !timers.isEmpty }
    /// Whether everything has been done that was due by now.
    var isAtPeace: Bool { isIdle && timers.allSatisfy { $0.due > now } }

    /// Whether the next timer is due within two seconds.
    private var isSoon: Bool { timers.contains { $0.due - now < 2_000_000_000 } }

    // MARK: Steps

    /// Runs one job, event or timer. Returns false if there is none.
    func step() -> Bool {
        let ready = jobs.count - head
        guard ready + events.count > 0 else { return fireTimer() }
        // Now and then, time passes although something is ready.
        if !timers.isEmpty, numbers.once(in: 32), isSoon || numbers.once(in: 16) { return fireTimer() }
        steps += 1
        let first = order == .arrival ? min(ready, 1) : ready
        let choice = numbers.below(first + events.count)
        mix(UInt64(choice) << 32 | UInt64(ready << 8 | events.count))
        if choice < first {
            run(takeJob(order == .arrival ? head : head + choice))
        } else {
            let index = choice - first
            let event = events[index]
            events[index] = events[events.count - 1]
            events.removeLast()
            event()
        }
        return true
    }

    private func takeJob(_ index: Int) -> Job {
        let job = jobs[index]
        if index == head {
            head += 1
        } else {
            jobs[index] = jobs[jobs.count - 1]
            jobs.removeLast()
        }
        if head == jobs.count {
            jobs.removeAll(keepingCapacity: true)
            head = 0
        }
        return job
    }

    private func run(_ job: Job) {
        isStepping = true
        defer { isStepping = false }
        switch job {
        case .isolated(let job):
            unsafe job.runSynchronously(on: SeededExecutor.shared.asUnownedSerialExecutor())
        case .pooled(let job): unsafe ferry_run_pooled(unsafeBitCast(job, to: UnsafeMutableRawPointer.self))
        }
    }

    /// Fires the next timer. Returns false if there is none.
    private func fireTimer() -> Bool {
        let next = timers.indices.min { (timers[$0].due, timers[$0].number) < (timers[$1].due, timers[$1].number) }
        guard let next else { return false }
        steps += 1
        let timer = timers.remove(at: next)
        now = max(now, timer.due)
        mix(UInt64(bitPattern: timer.due))
        timer.fire()
        return true
    }

    /// Calls a closure that accesses the state of actors on the seeded executor.
    func isolated<Value>(_ body: () -> Value) -> Value {
        let wasStepping = isStepping
        isStepping = true
        defer { isStepping = wasStepping }
        return body()
    }
}
