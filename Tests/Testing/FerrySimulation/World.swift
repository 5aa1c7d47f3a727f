import FerryCore
import FerryRules
import Foundation
import Logging

@testable import FerryEngine
@testable import FerryQueue
@testable import FerryService

/// One history of the daemon's service: clients, runs, journal, disk, clocks and networks around the shipping code.
final class World: @unchecked Sendable {  // SAFETY: Used on the scheduler's thread only.
    let scheduler: Scheduler
    let machine: SimulatedMachine
    private(set) var process: SimulatedProcess
    private(set) var journal: SimulatedJournal
    /// The open service, or `nil` while one is opened.
    private(set) var service: LocalTransferService?
    /// Counts the processes.
    private(set) var life = 0
    /// Whether the service is shutting down.
    private(set) var isEnding = false
    /// Whether the process has ended, so that another one is to start.
    private var isOver = false
    var ledger = Ledger()
    var laws = Laws()
    var runs: [TransferID: RunState] = [:]
    var readers: [Int: Reader] = [:]
    var inboxes = [Inbox(), Inbox(), Inbox()]
    /// Where each transfer was after the last step, if a log is kept.
    var places: [TransferID: String] = [:]
    /// Transfers that had a slot after the last step.
    var slots: Set<TransferID> = []

    /// A run as the laws know it.
    struct RunState {
        var isToStop = false
        var hasReported = false
        var waitsForName = false
        var isWhole = false
        var isInMemory = false
    }

    /// Numbers of the last events that a session's client has read, and has acknowledged.
    struct Inbox {
        var seen: Int64 = 0
        var acknowledged: Int64 = 0
    }

    init(seed: UInt64, order: JobOrder, store: any SimulatedStore, keepsLog: Bool) {
        scheduler = Scheduler(seed: seed, order: order, keepsLog: keepsLog)
        machine = SimulatedMachine(scheduler, seed: seed, store: store)
        process = SimulatedProcess(machine)
        journal = SimulatedJournal(process)
    }

    static let sessions = ["cli", "app/one", "app:two"].compactMap { try? SessionID($0) }
    static let hosts = ["a", "b"]
    /// The settings of a daemon whose settings were never changed.
    static let firstSettings = ServiceSettings()

    var rows: MemoryTransaction { machine.store.rows }
    func record(_ id: TransferID) -> TransferRecord? { rows.rows[id]?.record }

    func require(_ holds: Bool, _ law: @autoclosure () -> String) {
        guard !holds, laws.broken == nil else { return }
        laws.fail(law())
        scheduler.note("BROKEN \(laws.broken ?? "")")
    }

    func task(_ body: @escaping @Sendable () async -> Void) {
        Task { @Sendable in await body() }
    }

    // MARK: The process

    private var configuration: ServiceConfiguration {
        var configuration = ServiceConfiguration(
            stateFolder: nil, logger: Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() }, environment: [:]
        ) { [journal] () async throws(ServiceError) in OpenedJournal(journal) }
        let process = process
        configuration.disk = machine.disk
        configuration.machine.engine.clock = process
        configuration.machine.engine.home = process.home
        configuration.machine.engine.workers = process
        configuration.machine.engine.makeRun = { _, job, journal in SimulatedRun(job, journal, process, self) }
        configuration.machine.processes = process
        configuration.machine.conditions = process
        configuration.isLoopback = { _ in false }
        configuration.machine.random = { [scheduler] in Double(scheduler.numbers.below(1000)) / 1000 }
        configuration.spoolFolder = "/nowhere/spool"
        configuration.lookAhead = Self.lookAhead
        configuration.lineWindow = 3
        configuration.relaunchDelay = 4
        // A listener that comes back after hours still gets every event.
        configuration.retention.afterRemoval = 1e8
        return configuration
    }

    /// How far ahead deadlines are loaded, in seconds.
    static let lookAhead = 60.0

    /// Starts a process of the daemon.
    func start() {
        life += 1
        let (life, configuration) = (life, configuration)
        process.launched = { [unowned self] in launched($0) }
        task {
            do throws(ServiceError) {
                let opened = try await LocalTransferService.open(configuration)
                guard life == self.life else { return await opened.shutdown() }
                self.opened(opened)
            } catch {
                guard life == self.life else { return }
                let isOfDisk = error.code == .diskFull || error.code == .journalFailed
                self.require(isOfDisk, "the service does not open: \(error)")
                self.isOver = true
            }
        }
    }

    private func opened(_ opened: LocalTransferService) {
        scheduler.note("opened")
        service = opened
        let life = life
        let failures = isolated(opened) { $0.life.failures }
        // It gave slots before it was open.
        slots = isolated(opened) { $0.queue.attempted }
        isolated(opened) { [unowned self] in checkFirstSlots($0) }
        task {
            for await _ in failures where life == self.life { self.terminate() }
        }
    }

    /// Accesses the state of a service between its jobs.
    func isolated<Value: Sendable>(
        _ service: LocalTransferService, _ body: @Sendable (isolated LocalTransferService) -> Value
    ) -> Value {
        scheduler.isolated { service.assumeIsolated { body($0) } }
    }

    /// Asks the process to end. Once it has, another one starts.
    func terminate() {
        guard let old = service, !isEnding else { return }
        scheduler.note("terminate")
        isEnding = true
        let life = life
        task {
            await old.shutdown()
            guard life == self.life else { return }
            self.scheduler.note("ended")
            self.isOver = true
        }
    }

    /// Ends the process at once, and starts another one.
    func kill(reboots: Bool) {
        scheduler.note("kill")
        unwind()
        if reboots { machine.reboot() }
        process = SimulatedProcess(machine)
        journal = SimulatedJournal(process)
        start()
    }

    /// Runs the jobs of the process until none is left. Its journal, disk and clock refuse everything from here on.
    func unwind() {
        life += 1
        weak let old = service
        weak let oldQueue = service?.queue
        if let service { task { await service.shutdown() } }
        service = nil
        (isEnding, isOver) = (false, false)
        (runs, slots) = ([:], [])
        ledger.killed()
        let left = readers.keys.sorted().compactMap { readers[$0] }
        readers = [:]
        for reader in left { reader.task?.cancel() }
        process.kill()
        var steps = 0
        while !scheduler.isIdle || process.wake(), steps < 50_000 {
            _ = scheduler.step()
            steps += 1
        }
        require(scheduler.isIdle && old == nil && oldQueue == nil, "a process that was killed does not come to rest")
    }

    // MARK: Steps

    /// Runs one job, event or timer, and checks the laws. Returns false if there is none.
    func step() -> Bool {
        guard scheduler.step() else { return false }
        if isOver { kill(reboots: false) }
        check()
        return true
    }
}

extension World: RunWitness {
    func runMade(_ id: TransferID, _ process: SimulatedProcess) {
        guard process === self.process, !process.isDead, let service else { return }
        let isStopping = isolated(service) { $0.queue.running.isStopping(id) }
        require(!isStopping, "\(id) gets a run, and is to stop")
    }

    func runBegan(_ id: TransferID, _ process: SimulatedProcess, isToStop: Bool) {
        guard process === self.process, !process.isDead else { return }
        scheduler.mix(id.rawValue)
        scheduler.comment("run \(id)")
        require(runs[id] == nil, "\(id) has two runs")
        require(!ledger.isKnownToRest(id), "\(id) runs, and a client was told that it rests")
        require(record(id)?.outcome == nil, "\(id) runs, and has ended")
        require(!isEnding || isStarting(id), "\(id) runs while the process ends")
        runs[id] = RunState(isToStop: isToStop)
    }

    private func isStarting(_ id: TransferID) -> Bool { slots.contains(id) }

    func runEnded(_ id: TransferID, _ process: SimulatedProcess, _ report: RunReport) {
        guard process === self.process, !process.isDead else { return }
        runs[id]?.hasReported = true
        scheduler.comment("reported \(id) \(report.result)")
        if let origin = report.refusedBy { ledger.hold(origin.description, id) }
    }

    func runIsToStop(_ id: TransferID) { runs[id]?.isToStop = true }

    func runIsWhole(_ id: TransferID, inMemory: Bool) {
        runs[id]?.isWhole = true
        runs[id]?.isInMemory = inMemory
    }

    func runWaitsForName(_ id: TransferID, _ waits: Bool) { runs[id]?.waitsForName = waits }
}
