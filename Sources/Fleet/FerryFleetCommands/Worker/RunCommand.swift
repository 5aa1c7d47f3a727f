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
            Claims jobs, lets this user's ferryd fetch them, and delivers the files. A database that is away is waited for. \
            SIGTERM and Ctrl-C drain it for 20 seconds: it claims nothing more, ends what it can, and gives the rest back. A \
            second signal ends it at once; nothing is lost.
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

    @Option(
        help: ArgumentHelp(
            "Serve figures for Prometheus at /metrics and /metrics/fleet, and /ready for probes, such as 127.0.0.1:9187.",
            valueName: "address"))
    var metrics: MetricsAddress?

    @Flag(name: .shortAndLong, help: "Log each job.")
    var verbose = false

    /// Seconds of a drain after a signal. Kubernetes kills after 30 seconds.
    private static let signalPatience = 20.0
    /// Time between two checks of the spool and the stores.
    private static let checkInterval = Duration.seconds(5)
    /// Time for a connection to end, before the process does.
    private static let closePatience = Duration.seconds(1)

    func run(in context: CommandContext) async throws -> Int32 {
        let settings = try fleet.read(in: context)
        let name = try WorkerIdentity.name(worker ?? settings.worker)
        let paths = try FerryPaths(environment: context.environment, userID: geteuid())
        let identity = try WorkerIdentity(name: name, folder: paths.stateFolder)
        let description = WorkerDescription(
            name: name, identity: identity.text, machine: "\(ProcessInfo.processInfo.hostName), process \(getpid())",
            version: FerryVersion.current, lease: settings.lease, slots: settings.slots, labels: settings.labels)
        let queue = PostgresQueue(try fleet.address(settings))

        let daemon = LocalDaemon(try ClientConfiguration(environment: context.environment))
        let session = try LocalSession(
            worker: name, slots: settings.slots, scope: settings.addressScope
        ) { () throws(ServiceError) in daemon.service }
        var logger = Logger(label: "ferry-fleet") { StreamLogHandler.standardError(label: $0) }
        logger[metadataKey: "worker"] = "\(name)"
        logger.logLevel = verbose ? .debug : .info
        let configuration = FleetAgent.Configuration(
            worker: description, mostAhead: settings.ahead, poll: settings.poll)
        let manager = ServiceManager(environment: context.environment)
        let agent = FleetWorker(configuration, queue: queue, session: session, logger: logger) { event in
            switch event {
            case .unreachable(let error): manager.notify("Waits for the database: \(error.message)")
            default: break
            }
        }
        await queue.reportDelays { [logger] in logger.warning("\($0)") }
        if settings.listen { await queue.listen { agent.notify() } }
        // A database that is away is waited for: the service has started all the same.
        manager.ready()
        // A terminal that is closed ends no worker.
        let stopSignals = context.console.stopSignals([.interrupt, .terminate])
        let signals = Task(name: "signals") {
            for await _ in stopSignals {
                manager.ending()
                agent.stop(patience: Self.signalPatience)
            }
        }
        let checks = Task(name: "checks of the spool and the stores") {
            let spool = SpoolCheck(folder: paths.stateFolder, room: settings.spoolRoom)
            while !Task.isCancelled {
                await agent.check(spool: spool.problem)
                let state = await agent.snapshot
                if state.isMember { manager.notify(state.condition.map { "Claims no jobs: \($0)" } ?? "Runs jobs") }
                try? await Task.sleep(for: Self.checkInterval)
            }
        }
        let figures = try metrics.map { address in
            let server = MetricsServer(
                address: address, worker: agent, queue: PostgresQueue(try fleet.address(settings)), logger: logger)
            return Task(name: "metrics") { await server.run() }
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
            checks.cancel()
            figures?.cancel()
        }
        do throws(ServiceError) {
            try await agent.run()
        } catch {
            await Self.close(queue, daemon)
            throw error
        }
        await Self.close(queue, daemon)
        withExtendedLifetime(identity) {}
        return 0
    }

    /// Closes the connections, unless a server that does not answer holds that up.
    private static func close(_ queue: PostgresQueue, _ daemon: LocalDaemon) async {
        await daemon.close()
        let (ends, sender) = AsyncStream<Void>.makeStream()
        Task(name: "end of the connection") {
            await queue.close()
            sender.finish()
        }
        Task(name: "patience with the connection") {
            try? await Task.sleep(for: closePatience)
            sender.finish()
        }
        for await _ in ends {}
    }
}
