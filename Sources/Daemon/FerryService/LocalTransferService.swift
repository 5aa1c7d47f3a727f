package import FerryCore
package import FerryEngine
import FerryQueue
import Foundation
package import Logging
import ServiceLifecycle

/// Runs transfers in this process: the implementation of `SessionService` behind all clients.
///
/// It opens and closes the parts of the service, which share one executor, and passes calls and effects to them. Every
/// fact it reports is in the journal. Only running transfers live in memory. Each waiting transfer costs eight bytes at
/// most.
package actor LocalTransferService {
    package nonisolated let engine: Engine
    // SAFETY: The actor keeps alive what owns the executor.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe engine.home.unownedExecutor }
    nonisolated let configuration: ServiceConfiguration
    nonisolated let journal: any Journal
    nonisolated let life: ServiceLife
    nonisolated let queue: LiveQueue
    nonisolated let hub: EventHub
    nonisolated let conditions: any ConditionSource
    nonisolated let parts: ServiceParts

    private init(_ configuration: ServiceConfiguration, _ life: ServiceLife, _ opened: any Journal, _ found: Found) {
        self.configuration = configuration
        self.life = life
        journal = WatchedJournal(opened, of: life)
        conditions = configuration.conditionSource()
        engine = Engine(configuration.engine)
        let queue = Queue(
            found.settings,
            KnownConditions(
                concernsLoopback: conditions.concernsLoopback, isLoopback: configuration.isLoopback),
            lastID: found.lastID, lookAhead: configuration.lookAhead, lineWindow: configuration.lineWindow)
        self.queue = LiveQueue(queue, engine: engine, journal: journal, life: life, configuration)
        hub = EventHub(
            journal: journal, lastNumber: found.lastEvent, home: engine.home, clock: configuration.machine.clock)
        parts = ServiceParts(
            self.queue, journal: journal, hub: hub, life: life, conditions: conditions, configuration)
    }

    /// The settings and last numbers in the journal at the start.
    private struct Found: Sendable {
        let settings: ServiceSettings
        let lastID: TransferID?
        let lastEvent: Int64
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
        let found = try await opened.journal.read { reader throws(ServiceError) in
            Found(
                settings: try reader.settings() ?? ServiceSettings(), lastID: try reader.lastTransferID,
                lastEvent: try reader.lastEventNumber)
        }
        let life = ServiceLife(
            startWatch, at: configuration.machine.clock.wall, found: opened.warnings, logger: configuration.logger)
        let service = LocalTransferService(configuration, life, opened.journal, found)
        await service.queue.connect(service)
        try await service.recover()
        return service
    }

    // MARK: Shutdown

    /// Announces the daemon's shutdown. Connections lost from here on say nothing about their processes.
    ///
    /// Runs stop from here on, while the server still waits for its connections.
    package func prepareToEnd() async {
        guard !life.isEnding else { return }
        await queue.beginEnd()
        conditions.stop()
        await parts.obstacles.end()
        await parts.events.stopSampling()
    }

    /// Stops all runs, makes their bytes durable, and closes the journal.
    package func shutdown() async {
        await prepareToEnd()
        guard life.close() else { return }
        await parts.apps.connections.end()
        await life.endOfRuns?.value
        await hub.finish()
        await engine.shutdown()
        // The journal's own disk may not respond either.
        let journal = journal
        await Patience.wait(atMost: Self.journalPatience, by: configuration.machine.clock) { await journal.close() }
        life.succeeded()
        life.finish()
    }

    private static let journalPatience = Duration.seconds(1)

    /// Makes traps of this process write a note to a state folder, for the next start to read.
    package static func noteTraps(in folder: String, logger: Logger) {
        StartWatch.noteTraps(in: folder, logger: logger)
    }

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

extension ServiceConfiguration {
    /// The configuration of the engine.
    fileprivate var engine: Engine.Configuration {
        var engine = Engine.Configuration(disk: disk, environment: environment, logger: logger)
        engine.timeouts = timeouts
        engine.lookup = lookup
        engine.umask = umask
        engine.reached = reached
        engine.checkpointInterval = checkpointInterval
        engine.machine = machine.engine
        return engine
    }
}
