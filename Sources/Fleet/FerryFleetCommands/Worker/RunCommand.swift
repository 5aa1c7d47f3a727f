import ArgumentParser
import FerryAPI
import FerryClient
import FerryCommands
import FerryCore
import FerryFleet
import FerryFoundation
import FerryPostgres
import FerrySystem
import Logging

/// Runs this machine's worker.
struct RunCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run this machine's worker, until it is stopped or drained.",
        discussion: """
            Claims jobs, lets this user's ferryd fetch them, and delivers the files. SIGTERM and Ctrl-C drain it for 30 seconds: it \
            claims nothing more, ends what it can, and gives the rest back. A second signal ends it at once; nothing is lost.
            """)
    static let exitStatuses: [ExitStatus] = [
        ExitStatus(status: "0", meaning: "the worker was drained"),
        ExitStatus(.own, meaning: "another machine has the worker's name"), .daemon, .usage,
    ]

    @OptionGroup var fleet: FleetOptions

    @Option(
        help: ArgumentHelp("Name of the worker (default: worker in fleet.yaml, or the host's name).", valueName: "name")
    )
    var worker: String?

    @Flag(name: .shortAndLong, help: "Log each job.")
    var verbose = false

    /// Seconds of a drain after a signal.
    private static let signalPatience = 30.0
    /// Time between two looks at the spool's disk.
    private static let roomInterval = Duration.seconds(5)

    func run(in context: CommandContext) async throws -> Int32 {
        let settings = try fleet.read(in: context)
        let name = try WorkerIdentity.name(worker ?? settings.worker)
        let paths = try FerryPaths(environment: context.environment, userID: geteuid())
        let identity = try WorkerIdentity(name: name, folder: paths.stateFolder)
        let description = WorkerDescription(
            name: name, identity: identity.text, version: FerryVersion.current, lease: settings.lease,
            slots: settings.slots,
            labels: settings.labels)
        // An address that cannot work ends the command. Afterwards an outage is waited for.
        let queue = PostgresQueue(try fleet.address(settings))
        _ = try await queue.stores()

        let daemon = LocalDaemon(try ClientConfiguration(environment: context.environment))
        let session = try LocalSession(worker: name, slots: settings.slots) { () throws(ServiceError) in daemon.service
        }
        var logger = Logger(label: "ferry-fleet") { StreamLogHandler.standardError(label: $0) }
        logger[metadataKey: "worker"] = "\(name)"
        logger.logLevel = verbose ? .debug : .info
        let configuration = FleetAgent.Configuration(
            worker: description, mostAhead: settings.ahead, poll: settings.poll)
        let manager = ServiceManager(environment: context.environment)
        let agent = FleetWorker(configuration, queue: queue, session: session, logger: logger) { event in
            if case .joined = event { manager.ready() }
        }
        if settings.listen { await queue.listen { agent.notify() } }
        let signals = Task(name: "signals") {
            for await _ in context.console.stopSignals() {
                manager.ending()
                agent.drain(patience: Self.signalPatience)
            }
        }
        let room = Task(name: "room of the spool") {
            while !Task.isCancelled {
                // If the free space is unknown, the worker goes on.
                let free = DiskRoom(at: paths.stateFolder)?.bytes ?? .max
                agent.report(hasRoom: free >= settings.spoolRoom)
                try? await Task.sleep(for: Self.roomInterval)
            }
        }
        let watchdog = Task(name: "watchdog") {
            guard let interval = manager.watchdogInterval else { return }
            while !Task.isCancelled {
                await agent.takesInputs()
                manager.alive()
                try? await Task.sleep(for: .seconds(interval / 2))
            }
        }
        defer {
            signals.cancel()
            watchdog.cancel()
            room.cancel()
        }
        do throws(ServiceError) {
            try await agent.run()
        } catch {
            await queue.close()
            await daemon.close()
            throw error
        }
        await queue.close()
        await daemon.close()
        withExtendedLifetime(identity) {}
        return 0
    }
}
