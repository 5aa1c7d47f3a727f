package import FerryAPI
package import FerryCore
import Dispatch
import FerryService
import FerryStore
import Foundation
package import Logging
package import ServiceLifecycle
import Synchronization
package import UnixSignals

/// All parts of the daemon, put together: lock, service, server, and the group that runs and ends them.
package struct Daemon: Sendable {
    private let paths: FerryPaths
    private let environment: [String: String]
    private let logger: Logger
    private let ready: ReadyPipe
    private let end: EndLimit
    private let open: Opening

    /// Time that the parts may take to end where nothing ends the process before.
    private static let patience = Duration.seconds(60)

    package init(
        paths: FerryPaths, environment: [String: String], logger: Logger, ready: ReadyPipe, end: EndLimit = EndLimit(),
        open: @escaping Opening
    ) {
        self.end = end
        self.paths = paths
        self.environment = environment
        self.logger = logger
        self.ready = ready
        self.open = open
    }

    /// Runs until a signal or a client ends it.
    ///
    /// - Throws: ``DaemonFailure`` if it cannot start, or if a part that it needs ends.
    package func run(signals: [UnixSignal] = [.sigterm, .sigint]) async throws(DaemonFailure) {
        do {
            let seam = try CrashPoint(environment: environment)
            try PrivateFolder.make(paths.stateFolder)
            // Before anything is read: the journal has one daemon, and so has the socket.
            let lock = try DaemonLock(path: paths.lock)
            let service = try await open(paths, logger, seam)
            try await runParts(service, signals: signals)
            _ = consume lock
        } catch {
            throw DaemonFailure(cause: error)
        }
    }

    private func runParts(_ service: any HostedService, signals: [UnixSignal]) async throws {
        let group = GroupHandle()
        let manager = ServiceManager(environment: environment)
        let gateway = Gateway(
            folder: paths.stateFolder + "/gateway",
            usual: GatewaySettings(
                folders: DownloadFolders.usual(environment: environment, home: NSHomeDirectory())), logger: logger)
        let server = ControlServer(
            api: ControlAPI(service: service, gateway: gateway, stop: { await group.stop() }),
            socket: ControlSocket(path: paths.socket),
            logger: logger,
            listening: { [ready] in
                ready.ready()
                manager.ready()
            })
        var configuration = ServiceGroupConfiguration(
            services: [  // ended from the right: the notice first
                service, GatewayServer(gateway: gateway, service: service, logger: logger), server,
                StatusLine(service: service, manager: manager),
                EndingNotice(service: service, manager: manager, limit: end, logger: logger),
            ], gracefulShutdownSignals: signals, logger: logger)
        configuration.maximumGracefulShutdownDuration = Self.patience
        let running = ServiceGroup(configuration: configuration)
        group.set(running)
        try await running.run()
    }
}

/// Lets the server end the group that it is itself a part of.
private final class GroupHandle: Sendable {
    private let group = Mutex<ServiceGroup?>(nil)

    func set(_ running: ServiceGroup) { group.withLock { $0 = running } }

    func stop() async { await group.withLock { $0 }?.triggerGracefulShutdown() }
}

extension Daemon {
    /// Prepares the process. Call it before anything else runs. Ends the process if the system refuses the threads that it needs.
    package static func prepareProcess() {
        StandardStreams.fill()
        ProcessMemory.limit()
        guard !ProcessThreads.areAvailable() else { return }
        let error = ServiceError(
            .daemonUnreachable,
            "ferryd cannot start: it needs \(ProcessThreads.least) threads, and its user may not have so many more. Raise the "
                + "limit, as with `ulimit -u 4096`, and start it again.")
        ReadyPipe(environment: ProcessInfo.processInfo.environment).failed(error)
        complain(error.message)
        exit(error.code.row.exitStatus)
    }

    /// The program `ferryd`: returns its exit status.
    package static func main() async -> Int32 {
        let environment = ProcessInfo.processInfo.environment
        let umask = ProcessSetup.takeUmask()
        return await main(arguments: CommandLine.arguments, environment: environment) {
            paths, logger, seam throws(ServiceError) in
            LocalTransferService.noteTraps(in: paths.stateFolder, logger: logger)
            var configuration = ServiceConfiguration(
                stateFolder: paths.stateFolder, logger: logger, environment: environment,
                journal: SQLiteJournal.opening(in: paths.stateFolder, logger: logger), reached: seam.reached)
            configuration.umask = umask
            configuration.atRest = ProcessMemory.giveBack
            return try await LocalTransferService.open(configuration)
        }
    }
}

/// What runs transfers and is itself a part of the daemon.
package protocol HostedService: SessionService, Service {
    /// The daemon is about to end: connections that break from here on say nothing about their processes.
    func prepareToEnd() async
}

extension LocalTransferService: HostedService {}

extension Daemon {
    /// Makes the service that the daemon serves, from a state folder that is there and locked.
    package typealias Opening =
        @Sendable (FerryPaths, Logger, CrashPoint) async throws(ServiceError)
        -> any HostedService
}

/// Bounds the end of the process: a call on a disk that does not answer may hold up a part for ever.
///
/// What is lost is what SIGKILL would take, and everything that was acknowledged is in the journal.
package struct EndLimit: Sendable {
    /// Seconds from the notice of the end; the parts themselves need nine at most where a transfer's disk hangs.
    package var seconds = 9.5
    /// Ends the process at once, with an exit status; without it the parts are waited for.
    package var abandon: (@Sendable (Int32) -> Void)?

    package init() {}
}

/// Tells the service that the daemon is about to end, before the server lets go of its connections.
struct EndingNotice: Service {
    let service: any HostedService
    let manager: ServiceManager
    let limit: EndLimit
    let logger: Logger

    func run() async throws {
        let isAsked = (try? await gracefulShutdown()) != nil
        manager.ending()
        if let abandon = limit.abandon {
            let logger = logger
            // Not a task: what hangs may occupy the threads that run tasks.
            DispatchQueue.global(qos: .userInitiated).asyncAfter(deadline: .now() + limit.seconds) {
                logger.error("Not all of the daemon has ended in time, as a disk does not answer; it ends without that")
                abandon(isAsked ? 0 : ErrorCode.internal.row.exitStatus)
            }
        }
        await service.prepareToEnd()
    }
}
