import FerryAPI
package import FerryCore
import FerryFoundation
import Dispatch
import FerryService
import FerryStore
package import FerrySystem
import Foundation
package import Logging
package import ServiceLifecycle
import Synchronization
package import UnixSignals

/// The daemon with all its parts: lock, service, server, and the group that runs and ends them.
package struct Daemon: Sendable {
    private let paths: FerryPaths
    private let environment: [String: String]
    private let logger: Logger
    private let ready: ReadyPipe
    private let end: EndLimit
    private let open: Opening

    /// Time limit for the parts' shutdown, unless the process is ended earlier.
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
    /// - Throws: ``DaemonFailure`` if it cannot start, or if an essential part ends.
    package func run(signals: [UnixSignal] = [.sigterm, .sigint]) async throws(DaemonFailure) {
        do {
            let seam = try CrashPoint(environment: environment)
            try PrivateFolder.make(paths.stateFolder)
            // Before anything is read: the journal and the socket each belong to one daemon.
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

/// A handle with which the server stops the group that contains it.
private final class GroupHandle: Sendable {
    private let group = Mutex<ServiceGroup?>(nil)

    func set(_ running: ServiceGroup) { group.withLock { $0 = running } }

    func stop() async { await group.withLock { $0 }?.triggerGracefulShutdown() }
}

extension Daemon {
    /// Prepares the process. Call it before anything else runs. Exits if the system refuses the required threads.
    package static func prepareProcess() {
        StandardStreams.fill()
        ProcessMemory.limit()
        guard !ProcessThreads.areAvailable() else { return }
        let error = ServiceError(
            .daemonUnreachable,
            "ferryd cannot start: it needs \(ProcessThreads.least) threads, more than its user may have. Raise the "
                + "limit, as with `ulimit -u 4096`, and start it again.")
        ReadyPipe(environment: ThisProcess.environment).failed(error)
        complain(error.message)
        exit(error.code.row.exitStatus)
    }

    /// Runs the program `ferryd` and returns its exit status.
    package static func main() async -> Int32 {
        let environment = ThisProcess.environment
        let umask = ProcessSetup.takeUmask()
        return await main(arguments: ThisProcess.arguments, environment: environment) {
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

/// The service that runs transfers, as a part of the daemon.
package protocol HostedService: SessionService, Service {
    /// Called before the daemon ends. From here on, a broken connection does not mean that the process behind it has
    /// ended.
    func prepareToEnd() async
}

extension LocalTransferService: HostedService {}

extension Daemon {
    /// Opens the daemon's service from an existing, locked state folder.
    package typealias Opening =
        @Sendable (FerryPaths, Logger, CrashPoint) async throws(ServiceError)
        -> any HostedService
}

/// A time limit for the end of the process. A call on an unresponsive disk may block a part forever.
///
/// Ending the process then has the effect of SIGKILL. Everything acknowledged is in the journal.
package struct EndLimit: Sendable {
    /// Seconds from the shutdown notice. The parts themselves need at most nine if a transfer's disk hangs.
    package var seconds = 9.5
    /// Exits immediately with a status. Without it the daemon waits for all parts.
    package var abandon: (@Sendable (Int32) -> Void)?

    package init() {}
}

/// Notifies the service that the daemon is about to end, before the server closes its connections.
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
            // Not a task: hung calls may occupy the threads that run tasks.
            DispatchQueue.global(qos: .userInitiated).asyncAfter(deadline: .now() + limit.seconds) {
                logger.error("The daemon exits before everything has stopped, because a disk does not respond")
                abandon(isAsked ? 0 : ErrorCode.internal.row.exitStatus)
            }
        }
        await service.prepareToEnd()
    }
}
