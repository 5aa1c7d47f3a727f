import ArgumentParser
import FerryAPI
import FerryClient
import FerryCommands
import FerryCore
import FerryFleet
import FerryFoundation
import FerryPostgres
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
        defer { signals.cancel() }
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

/// The identity of this machine's worker. Holds a lock while the worker runs.
final class WorkerIdentity: Sendable {
    /// Differs between machines, boots and state folders.
    let text: String
    private let lock: Int32

    /// The given name, or the host's.
    ///
    /// - Throws: `ValidationError` for a name that is no word.
    static func name(_ given: String?) throws -> String {
        let name = given ?? ProcessInfo.processInfo.hostName
        guard !name.isEmpty, name.utf8.count <= 100, !name.hasControls, !name.contains("/"), !name.contains(":") else {
            throw ValidationError("“\(name.escapingControls)” is not a worker's name: 1 to 100 bytes without / and :.")
        }
        return name
    }

    /// - Throws: ``ServiceError`` with code `worker_in_use` if the worker runs already on this machine.
    init(name: String, folder: String) throws {
        try PrivateFolder.make(folder)
        let path = "\(folder)/fleet-\(name)"
        lock = unsafe open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard lock >= 0, flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            throw ServiceError(
                .workerInUse,
                "The worker “\(name.escapingControls)” runs already on this machine. Give another one --worker.")
        }
        let known = (try? String(contentsOfFile: path + ".id", encoding: .utf8)).map {
            String($0.prefix { !$0.isNewline })
        }
        let instance = known ?? UUID().uuidString
        if known == nil {
            try Data((instance + "\n").utf8).write(to: URL(fileURLWithPath: path + ".id"), options: .atomic)
        }
        func first(_ path: String) -> String {
            let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
            return String(text.prefix { !$0.isNewline })
        }
        text = [first("/etc/machine-id"), first("/proc/sys/kernel/random/boot_id"), instance].joined(separator: "/")
    }

    deinit { close(lock) }
}

/// Drains workers.
struct DrainCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "drain",
        abstract: "Let workers claim nothing more, end what they can within 10 minutes, and leave.")
    static let exitStatuses: [ExitStatus] = [
        .success, ExitStatus(.unknownTransfer, meaning: "no worker has this name"), .daemon, .usage,
    ]

    @OptionGroup var fleet: FleetOptions

    @Argument(help: "Name of the worker.")
    var worker: String?

    @Flag(help: "All workers.")
    var all = false

    func validate() throws {
        guard all != (worker != nil) else { throw ValidationError("Give the name of a worker, or --all.") }
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let names = try await fleet.withQueue(in: context) { try await $0.drain(worker) }
        guard !names.isEmpty || all else {
            throw ServiceError(
                .unknownTransfer,
                "The fleet has no live worker “\((worker ?? "").escapingControls)”. See `ferry fleet status`.")
        }
        context.console.print(names.map(\.escapingControls))
        return 0
    }
}

/// Removes copies of ended jobs.
struct SweepCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "sweep",
        abstract: "Remove unplaced copies of ended jobs from the stores that this machine has mounted.")
    static let exitStatuses: [ExitStatus] = [.success, .daemon, .usage]

    @OptionGroup var fleet: FleetOptions

    func run(in context: CommandContext) async throws -> Int32 {
        try await fleet.withQueue(in: context) { queue in
            var count = 0
            for store in try await queue.stores() {
                for copy in FolderCopies(of: store).all() {
                    guard try await isUnneeded(copy, queue) else { continue }
                    try? FileManager.default.removeItem(atPath: copy.path)
                    count += 1
                }
            }
            context.console.say("Removed \(count) copies.")
            return 0
        }
    }

    private func isUnneeded(_ copy: FolderCopies.Copy, _ queue: any SharedQueue) async throws -> Bool {
        do {
            let job = try await queue.job(copy.job)
            return job.state.isEnded || copy.fence < job.claims.fence
        } catch {
            guard error.code == .unknownTransfer else { throw error }
            // A removed job, or one of another fleet that shares the folder.
            return copy.age > FolderCopies.longestAge
        }
    }
}
