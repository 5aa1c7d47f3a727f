// Ferry: FerryServer
// The control API on its socket.

import FerryCore
import Foundation
import Hummingbird
package import Logging
import NIOCore
import ServiceLifecycle
import Synchronization

/// The control API on its socket, as a part of the daemon.
///
/// Runs until graceful shutdown: takes no more connections then, ends event streams, answers what it was asked, and
/// removes the socket.
package final class ControlServer: Service {
    private let api: ControlAPI
    private let socket: ControlSocket
    private let logger: Logger
    private let listening: @Sendable () -> Void
    private let file = Mutex<FileFacts?>(nil)

    /// Time that a connection may take to end.
    private static let patience = TimeAmount.seconds(5)

    /// - Parameter listening: Called once the socket accepts connections and only its owner can reach it.
    package init(
        api: ControlAPI, socket: ControlSocket, logger: Logger, listening: @escaping @Sendable () -> Void
    ) {
        self.api = api
        self.socket = socket
        self.logger = logger
        self.listening = listening
    }

    package func run() async throws {
        try socket.prepare()
        defer { file.withLock { $0 }.map(socket.remove) }
        try await application().run()
    }

    private func application() -> some ApplicationProtocol {
        let owner = geteuid()
        return Application(
            router: api.router(),
            server: .http1(
                configuration: .init(
                    additionalChannelHandlers: [
                        PeerCheck(owner: owner, credentials: SystemPeerCredentials(), logger: self.logger),
                        QuiesceDeadline(limit: Self.patience),
                    ])),
            configuration: ApplicationConfiguration(address: .unixDomainSocket(path: socket.path)),
            onServerRunning: { channel in
                do throws(TransferError) {
                    let facts = try self.socket.secure()
                    self.file.withLock { $0 = facts }
                    self.listening()
                } catch {
                    // The server ends with its channel, and the daemon with the server.
                    self.logger.critical("\(error.message)")
                    channel.close(promise: nil)
                }
            },
            logger: logger)
    }
}
