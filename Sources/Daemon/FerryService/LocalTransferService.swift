package import FerryCore
package import FerryEngine
import FerryQueue
import Foundation
import Logging
import ServiceLifecycle

/// Runs transfers in this process: the implementation of `TransferService` behind all clients.
///
/// One actor decides. It changes its state synchronously and checks it again after each `await`. Every fact it reports
/// is in the journal. Only running transfers live in memory. Each waiting transfer costs eight bytes at most.
package actor LocalTransferService: TransferService {
    let configuration: ServiceConfiguration
    let journal: any Journal
    package nonisolated let engine: Engine
    // SAFETY: The actor keeps alive what owns the executor.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe engine.home.unownedExecutor }
    let hub: EventHub
    /// Startup and shutdown state.
    var life: ServiceLife

    var queue: Queue
    /// State shared by a session's runs, and the apps' connections.
    var runtime: SessionRuntime
    /// Attempts of the transfers that have a slot.
    var attempts: [TransferID: Attempt] = [:]
    var starting = StartingTransfers()
    var ending = GroupedCalls<TransferEnd, Bool>()
    var alarm = AlarmClock()
    var waiters = Waiters()
    var samplers: Task<Void, Never>?
    /// The network and power conditions that transfers depend on.
    var watch: ConditionWatch
    /// Pending maintenance.
    var upkeep = Upkeep()

    private init(
        _ configuration: ServiceConfiguration, startWatch: StartWatch, journal: any Journal, warnings: [String],
        settings: ServiceSettings, lastID: TransferID?, lastEvent: Int64
    ) {
        self.configuration = configuration
        self.journal = journal
        life = ServiceLife(startWatch, at: configuration.machine.clock.wall, found: warnings)
        runtime = SessionRuntime(settings)
        var engine = Engine.Configuration(
            disk: configuration.disk, environment: configuration.environment, logger: configuration.logger)
        engine.timeouts = configuration.timeouts
        engine.lookup = configuration.lookup
        engine.umask = configuration.umask
        engine.reached = configuration.reached
        engine.checkpointInterval = configuration.checkpointInterval
        engine.machine = configuration.machine.engine
        self.engine = Engine(engine)
        self.engine.budget.setLimits(perHost: settings.connectionsPerHost, total: settings.connectionsTotal)
        watch = ConditionWatch(configuration)
        queue = Queue(
            settings,
            KnownConditions(
                concernsLoopback: watch.source.concernsLoopback, isLoopback: configuration.isLoopback),
            lastID: lastID, lookAhead: configuration.lookAhead, lineWindow: configuration.lineWindow)
        hub = EventHub(
            journal: journal, lastNumber: lastEvent, home: self.engine.home, clock: configuration.machine.clock)
    }

    /// Opens the journal and restores its transfers.
    ///
    /// - Throws: ``ServiceError`` with code `journal_failed` if the journal is of a newer version or cannot be opened.
    package static func open(
        _ configuration: ServiceConfiguration
    ) async throws(ServiceError) -> LocalTransferService {
        let startWatch = StartWatch(
            folder: configuration.stateFolder, logger: configuration.logger, now: configuration.machine.clock.wall)
        do throws(ServiceError) {
            return try await open(configuration, startWatch)
        } catch {
            // The error is reported to the user: this is no crash.
            startWatch.succeeded()
            throw error
        }
    }

    private static func open(
        _ configuration: ServiceConfiguration, _ startWatch: StartWatch
    ) async throws(ServiceError) -> LocalTransferService {
        let opened = try await configuration.openJournal()
        let journal = opened.journal
        let (settings, lastID, lastEvent) = try await journal.read { reader throws(ServiceError) in
            (try reader.settings() ?? ServiceSettings(), try reader.lastTransferID, try reader.lastEventNumber)
        }
        let service = LocalTransferService(
            configuration, startWatch: startWatch, journal: journal, warnings: opened.warnings, settings: settings,
            lastID: lastID, lastEvent: lastEvent)
        try await service.recover()
        return service
    }

    // MARK: Shutdown

    /// Whether the service is shutting down and starts nothing new.
    var isShuttingDown: Bool { life.isEnding }

    /// - Throws: ``ServiceError`` with code `daemon_unreachable` once the service is shutting down.
    func checkIsOpen() throws(ServiceError) {
        if isShuttingDown { throw ServiceError(.daemonUnreachable, "The daemon is ending.") }
    }

    /// Begins to stop all runs. The service still responds to calls.
    func beginEnd() {
        guard !isShuttingDown else { return }
        life.beginEnd(stopAll())
        alarm.stop()
        watch.end()
        samplers?.cancel()
    }

    /// Stops all runs, makes their bytes durable, and closes the journal.
    package func shutdown() async {
        beginEnd()
        guard life.close() else { return }
        runtime.endConnections()
        await life.endOfRuns?.value
        await hub.finish()
        await engine.shutdown()
        // The journal's own disk may not respond either.
        let journal = journal
        await Patience.wait(atMost: Self.journalPatience, by: clock) { await journal.close() }
        life.succeeded()
        life.finish()
    }

    private static let journalPatience = Duration.seconds(1)

    /// Records the failure of a required component, so that `run` throws it.
    func noteFailure(_ error: ServiceError) {
        guard error.code == .journalFailed, life.fail(error) else { return }
        logger.critical("the journal failed", metadata: ["error": "\(error)"])
    }

    var logger: Logger { configuration.logger }

    /// The machine's clocks.
    var clock: any MachineClock { configuration.machine.clock }
    var moment: Moment { Moment(clock) }

    var transferLog: TransferLog { TransferLog(logger: configuration.logger) }

    /// The files of succeeded transfers.
    var placed: PlacedFiles { PlacedFiles(engine: engine, journal: journal) }

    /// Folder of finished files that their clients have not collected yet.
    package nonisolated var spoolFolder: String { configuration.spool }
}

extension LocalTransferService: Service {
    /// Runs until the graceful shutdown of its service group, then makes everything durable.
    ///
    /// - Throws: ``ServiceError`` with code `journal_failed` as soon as the journal fails: a daemon must not run
    ///   without one.
    package func run() async throws {
        let failures = life.failures
        let failure = await withGracefulShutdownHandler {
            await failures.first { _ in true }
        } onGracefulShutdown: {
            Task(name: "shutdown of the service") { await self.shutdown() }
        }
        await shutdown()
        if let failure { throw failure }
    }
}
