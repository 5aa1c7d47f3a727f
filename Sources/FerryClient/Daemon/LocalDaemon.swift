// Ferry: FerryClient
// The daemon on this machine.

import FerryAPI
package import FerryCore
import Glibc

/// The daemon of the user who runs this process.
package struct LocalDaemon: DaemonAccess {
    private let configuration: ClientConfiguration
    private let remote: RemoteTransferService
    /// Never starts a daemon.
    private let observer: RemoteTransferService

    // A daemon that ends makes its transfers durable first, which a slow disk may draw out.
    private static let stopLimit: Duration = .seconds(60)

    package init(_ configuration: ClientConfiguration) {
        self.configuration = configuration
        let connection = DaemonConnection(socket: configuration.paths.socket, limit: configuration.callLimit)
        remote = RemoteTransferService(over: connection, launcher: DaemonLauncher(configuration))
        observer = RemoteTransferService(over: connection, launcher: nil)
    }

    package var service: any SessionService { remote }

    package func statusIfRunning() async throws(TransferError) -> ServiceStatus? {
        guard try await observer.gate.answers() else { return nil }
        return try await observer.status()
    }

    package func start() async throws(TransferError) -> Bool { try await remote.gate.open() }

    package func stop() async throws(TransferError) -> Bool {
        guard try await statusIfRunning() != nil else { return false }
        let pid = try await observer.stop()
        let end = ContinuousClock.now + Self.stopLimit
        while DaemonProcess.isAlive(pid) {
            guard ContinuousClock.now < end else {
                throw TransferError(
                    .daemonUnreachable,
                    "The daemon (process \(pid)) has not ended within \(Self.stopLimit.components.seconds) s. Its log is "
                        + "\(configuration.paths.log.escapingControls).")
            }
            try? await Task.sleep(for: .milliseconds(20))
        }
        return true
    }

    package func run(arguments: [String]) throws(TransferError) -> Never {
        let executable = try DaemonLauncher(configuration).executable()
        let code = DaemonProcess.become(executable, arguments)
        throw TransferError(
            .daemonUnreachable,
            "\(executable.escapingControls) cannot be run: \(unsafe String(cString: strerror(code))).",
            details: ErrorDetails(errno: code))
    }

    package func close() async {
        await remote.shutdown()
    }
}
