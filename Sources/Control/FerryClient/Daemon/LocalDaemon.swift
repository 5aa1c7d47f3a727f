package import FerryAPI
package import FerryCore
import FerrySystem
import Glibc

/// A user's daemon: its service, and commands to start and stop it.
package protocol DaemonAccess: Sendable {
    /// The service. Its calls start the daemon if none is running.
    var service: any SessionService { get }

    /// The same service. Its calls fail if no daemon is running.
    var watcher: any SessionService { get }

    /// The gateway. Its calls start the daemon if none is running.
    var gateway: any GatewayControl { get }

    /// Returns the daemon's status, or `nil` if none is running. Starts none.
    func statusIfRunning() async throws(ServiceError) -> ServiceStatus?

    /// Ensures that a daemon is running.
    ///
    /// - Returns: Whether this call started it.
    func start() async throws(ServiceError) -> Bool

    /// Stops the daemon and returns once it has exited.
    ///
    /// - Returns: False if none was running.
    func stop() async throws(ServiceError) -> Bool

    /// Returns the absolute path of the daemon's program.
    ///
    /// - Throws: ``ServiceError`` with code `daemon_unreachable` if there is none.
    func executable() throws(ServiceError) -> String

    /// Replaces this process with the daemon. Returns only by throwing.
    func run(arguments: [String]) throws(ServiceError) -> Never

    /// Releases the resources of this value. Call it once, last.
    func close() async
}

/// The daemon of the user who runs this process.
package struct LocalDaemon: DaemonAccess {
    private let configuration: ClientConfiguration
    private let remote: RemoteTransferService
    /// Never starts a daemon.
    private let observer: RemoteTransferService
    private let socketLimit: Duration

    // An ending daemon first makes its transfers durable, which may take long on a slow disk.
    private static let stopLimit: Duration = .seconds(60)

    /// - Parameter socketLimit: How long a running daemon may be without a socket. A daemon with a deleted socket
    ///   recreates it sooner.
    package init(_ configuration: ClientConfiguration, socketLimit: Duration = .seconds(6)) {
        self.configuration = configuration
        self.socketLimit = socketLimit
        let connection = DaemonConnection(configuration)
        remote = RemoteTransferService(over: connection, launcher: DaemonLauncher(configuration))
        observer = RemoteTransferService(over: connection, launcher: nil)
    }

    package var service: any SessionService { remote }
    package var watcher: any SessionService { observer }
    package var gateway: any GatewayControl { RemoteGateway(remote) }

    package func statusIfRunning() async throws(ServiceError) -> ServiceStatus? {
        if try await answers() { return try await observer.status() }
        guard let pid = DaemonProcess.lockHolder(configuration.paths.lock) else { return nil }
        throw ServiceError(
            .daemonUnreachable,
            "A daemon runs as process \(pid), and no client can reach it at \(configuration.paths.socket.escapingControls). "
                + "End it with `ferry daemon stop`, then try again.")
    }

    /// Whether the daemon responds. Waits briefly for a running daemon that is unreachable.
    private func answers() async throws(ServiceError) -> Bool {
        let end = ContinuousClock.now + socketLimit
        while try await !observer.gate.answers() {
            guard DaemonProcess.lockHolder(configuration.paths.lock) != nil, ContinuousClock.now < end else {
                return false
            }
            try? await Task.sleep(for: .milliseconds(50))
        }
        return true
    }

    package func start() async throws(ServiceError) -> Bool { try await remote.gate.open() }

    package func stop() async throws(ServiceError) -> Bool {
        let pid: Int32
        if try await answers() {
            pid = try await observer.stop()
        } else if let holder = DaemonProcess.lockHolder(configuration.paths.lock) {
            // This process holds the lock that prevents another daemon, so it is the right one.
            pid = holder
            kill(holder, SIGTERM)
        } else {
            return false
        }
        let end = ContinuousClock.now + Self.stopLimit
        while DaemonProcess.isAlive(pid) {
            guard ContinuousClock.now < end else {
                throw ServiceError(
                    .daemonUnreachable,
                    "The daemon (process \(pid)) has not ended within \(Self.stopLimit.components.seconds) s. Its log is "
                        + "\(configuration.paths.log.escapingControls).")
            }
            try? await Task.sleep(for: .milliseconds(20))
        }
        return true
    }

    package func executable() throws(ServiceError) -> String { try DaemonLauncher(configuration).executable() }

    package func run(arguments: [String]) throws(ServiceError) -> Never {
        let executable = try executable()
        let code = DaemonProcess.become(executable, arguments)
        throw ServiceError(
            .daemonUnreachable,
            "\(executable.escapingControls) cannot be run: \(unsafe String(cString: strerror(code))).",
            details: ErrorDetails(errno: code))
    }

    package func close() async {
        await remote.shutdown()
    }
}
