import FerryCore
import FerryDisk
import FerryRules
import Foundation

@testable import FerryEngine
@testable import FerryQueue
@testable import FerryService

/// A simulated machine: everything that outlives a process.
final class SimulatedMachine: @unchecked Sendable {  // SAFETY: Used on the scheduler's thread only.
    let scheduler: Scheduler
    /// Separates the decisions of runs from those of the scheduler, so that they depend on the transfer alone.
    let seed: UInt64
    let store: any SimulatedStore
    let disk = SimulatedDisk()
    var networks = Networks()
    /// Number of commits that find no room on the journal's disk.
    var fullCommits = 0
    /// Whether the next commit fails for good.
    var breaksJournal = false
    /// Whether all runs succeed from now on.
    var isCalm = false
    private var attempts: [TransferID: UInt64] = [:]
    private(set) var foldersAnswer = true
    /// Calls on folders that do not answer.
    private var held: [() -> Void] = []

    private var wallClock = WallClock()

    /// Running apps, by process id.
    var apps: [Int32: ProcessMark] = [:]
    private var lastProcess: Int32 = 100

    init(_ scheduler: Scheduler, seed: UInt64, store: any SimulatedStore) {
        self.scheduler = scheduler
        self.seed = seed
        self.store = store
    }

    // MARK: Clocks

    static let start = ContinuousClock.now

    var elapsed: Double { Double(scheduler.now) / 1e9 }

    func active(skew: Double) -> ActiveTime.Instant {
        ActiveTime.Instant(
            wall: Date(timeIntervalSince1970: 1_000_000 + elapsed + skew + wallClock.set),
            boot: "boot \(wallClock.boot)", uptime: elapsed + skew - Double(wallClock.booted) / 1e9)
    }

    /// Whether the wall clock was ever set.
    var wasSet: Bool { wallClock.wasSet }

    func setWallClock(by seconds: Double) {
        wallClock.set += seconds
        wallClock.wasSet = true
    }

    func reboot() {
        wallClock.boot += 1
        wallClock.booted = scheduler.now
        apps = [:]
    }

    // MARK: Folders

    func setFolders(answer: Bool) {
        foldersAnswer = answer
        guard answer else { return }
        for call in held { scheduler.event(call) }
        held = []
    }

    func call(_ body: @escaping () -> Void) {
        if foldersAnswer { scheduler.event(body) } else { held.append(body) }
    }

    /// Ends the calls of a process that was killed.
    func releaseFolders() {
        for call in held { scheduler.event(call) }
        held = []
    }

    // MARK: Apps

    /// Counts an attempt at a transfer, and returns its number.
    func countAttempt(_ id: TransferID) -> UInt64 {
        attempts[id, default: 0] += 1
        return attempts[id, default: 0]
    }

    /// Adds a running process.
    func startApp() -> Int32 {
        lastProcess += 1
        apps[lastProcess] = ProcessMark(
            process: lastProcess, started: UInt64(lastProcess), boot: "boot \(wallClock.boot)")
        return lastProcess
    }
}

/// The wall clock, and the boots of a machine.
private struct WallClock {
    /// Seconds by which it was set.
    var set = 0.0
    var wasSet = false
    var boot = 0
    /// When the machine booted, in nanoseconds.
    var booted: Int64 = -100_000_000_000
}

/// One process of the daemon: what its service sees of the machine. Once it was killed, nothing that it does has an
/// effect, and everything that it waits for ends.
final class SimulatedProcess: @unchecked Sendable {  // SAFETY: Used on the scheduler's thread only.
    let machine: SimulatedMachine
    let home = SeededHome()
    /// In seconds since the beginning.
    let startedAt: Double
    private(set) var isDead = false
    private var sleepers: [Int: Sleeper] = [:]
    private var lastSleeper = 0
    /// Seconds by which the clock of a dead process is ahead.
    private var skew = 0.0
    /// Called after each change of the networks.
    var conditionsChanged: (@Sendable () -> Void)?
    /// Starts an app that the service launches.
    var launched: (ProgramStart) -> Int32 = { _ in 0 }
    /// Called with each app that has ended.
    var ended: [Int32: @Sendable (Int32) -> Void] = [:]

    init(_ machine: SimulatedMachine) {
        self.machine = machine
        startedAt = machine.elapsed
    }

    var scheduler: Scheduler { machine.scheduler }

    func kill() {
        isDead = true
        machine.releaseFolders()
    }

    /// Ends all waits for a time. Returns false if there are none.
    func wake() -> Bool {
        let waiting = sleepers.keys.sorted().compactMap { sleepers[$0] }
        for sleeper in waiting { sleeper.end(true) }
        return !waiting.isEmpty
    }

    func appEnded(_ process: Int32) {
        machine.apps[process] = nil
        guard let ended = ended.removeValue(forKey: process) else { return }
        scheduler.event { ended(process) }
    }
}

extension SimulatedProcess: MachineClock {
    var now: ContinuousClock.Instant { SimulatedMachine.start + .seconds(machine.elapsed + skew) }
    var wall: Date { active.wall }
    var active: ActiveTime.Instant { machine.active(skew: skew) }
    var awake: UInt64 { UInt64(max(0, active.uptime) * 1e9) }

    func sleep(until end: ContinuousClock.Instant) async throws {
        // In whole milliseconds, so that journals store the same times.
        let rest = max(0, ((end - now) / .seconds(1) * 1000).rounded(.up))
        let sleeper = Sleeper()
        lastSleeper += 1
        let number = lastSleeper
        let isOver = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard sleeper.begin(continuation) else { return }
                sleepers[number] = sleeper
                // The time of a dead process passes when it has nothing else to do.
                let timer =
                    isDead ? nil : scheduler.timer(after: Int64(min(rest, 1e12)) * 1_000_000) { sleeper.end(true) }
                sleeper.cleanUp = { [self] in
                    if let timer { scheduler.removeTimer(timer) }
                    if isDead { skew += rest / 1000 }
                    sleepers[number] = nil
                }
            }
        } onCancel: {
            sleeper.end(false)
        }
        if !isOver { throw CancellationError() }
    }
}

/// A task that waits for a time, or for its cancellation.
private final class Sleeper: @unchecked Sendable {  // SAFETY: Used on the scheduler's thread only.
    private var continuation: CheckedContinuation<Bool, Never>?
    private var result: Bool?
    var cleanUp: (() -> Void)?

    /// Returns false, with the continuation resumed, if the wait has ended already.
    func begin(_ continuation: CheckedContinuation<Bool, Never>) -> Bool {
        if let result {
            continuation.resume(returning: result)
            return false
        }
        self.continuation = continuation
        return true
    }

    func end(_ isOver: Bool) {
        guard result == nil else { return }
        result = isOver
        cleanUp?()
        cleanUp = nil
        continuation?.resume(returning: isOver)
        continuation = nil
    }
}

extension SimulatedProcess: DiskWorkers {
    private static let gone = DiskError("Working on", "a file", errno: ECANCELED)

    func run(in lane: DiskLane, _ work: @escaping Work) {
        let call = { [self] in work(isDead ? Self.gone : nil) }
        if isDead { scheduler.event(call) } else { machine.call(call) }
    }

    func shutdown() async {}
}

extension SimulatedProcess: ConditionSource {
    var concernsLoopback: Bool { false }

    var report: ConditionReport {
        var report = ConditionReport()
        report.known = [.reachability, .kind, .power]
        report.conditions.reachable = machine.networks.reachable
        report.conditions.expensive = machine.networks.expensive
        return report
    }

    func watch(_ needs: ConditionNeeds, changed: @escaping @Sendable () -> Void) {
        conditionsChanged = changed
        scheduler.event(changed)
    }

    func pollPower(every seconds: Int?) {}
    func stop() { conditionsChanged = nil }
}

extension SimulatedProcess: ProcessHost {
    func mark(of process: Int32) -> ProcessMark? { machine.apps[process] }
    func start(_ program: ProgramStart) throws(ServiceError) -> Int32 { isDead ? 0 : launched(program) }
    func watch(_ process: Int32, ended: @escaping @Sendable (Int32) -> Void) { self.ended[process] = ended }
}
