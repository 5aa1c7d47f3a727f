package import FerryAPI
package import FerryCore
import Glibc

/// The daemon of a user: its service, and its start and end by hand.
package protocol DaemonAccess: Sendable {
    /// The service; its calls start the daemon if none runs.
    var service: any SessionService { get }

    /// The same service; its calls fail if no daemon runs.
    var watcher: any SessionService { get }

    /// The gateway; its calls start the daemon if none runs.
    var gateway: any GatewayControl { get }

    /// Nil if no daemon runs; starts none.
    func statusIfRunning() async throws(ServiceError) -> ServiceStatus?

    /// Makes sure that a daemon runs; whether this call started it.
    func start() async throws(ServiceError) -> Bool

    /// Ends the daemon and returns once it is gone; false if none ran.
    func stop() async throws(ServiceError) -> Bool

    /// Puts the daemon in the place of this process; returns only by throwing.
    func run(arguments: [String]) throws(ServiceError) -> Never

    /// Frees what this value holds; call it once, last.
    func close() async
}

/// The daemon of the user who runs this process.
package struct LocalDaemon: DaemonAccess {
    private let configuration: ClientConfiguration
    private let remote: RemoteTransferService
    /// Never starts a daemon.
    private let observer: RemoteTransferService
    private let socketLimit: Duration

    // A daemon that ends makes its transfers durable first, which a slow disk may draw out.
    private static let stopLimit: Duration = .seconds(60)

    /// - Parameter socketLimit: How long a daemon that runs may be without a socket; one whose socket was deleted makes
    ///   it again sooner.
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

    /// Whether the daemon answers; waits a little for one that runs and cannot be reached.
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
            // It holds the lock that keeps another from starting, so it is the one that is meant.
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

    package func run(arguments: [String]) throws(ServiceError) -> Never {
        let executable = try DaemonLauncher(configuration).executable()
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
