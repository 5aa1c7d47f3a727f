import FerryCore
import Foundation
import Hummingbird
import HummingbirdCore
package import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization

/// The control API on its socket, as a service of the daemon.
///
/// Runs until graceful shutdown. Then it accepts no more connections, ends event streams, responds to received requests
/// and removes the socket. A socket that was deleted or replaced is recreated, since no client could reach the daemon.
package final class ControlServer: Service {
    private let api: ControlAPI
    private let socket: ControlSocket
    private let logger: Logger
    private let connections: ConnectionLimit
    private let limits: RequestPhase.Limits
    private let budget: BodyBudget
    private let credentials: any PeerCredentials
    private let listening: @Sendable () -> Void
    private let state = Mutex(State())

    private struct State {
        /// The socket that clients find, or `nil` before the first.
        var file: PathFacts?
        /// The channel that accepts its connections.
        var channel: (any Channel)?
        /// Whether a lost socket is being recreated.
        var isReplacing = false
    }

    /// How a part of the server ended.
    private enum Part {
        /// The server that accepted connections on this channel, or `nil` if it never did.
        case server((any Channel)?, (any Error)?)
        /// The path does not lead to this server's socket.
        case socketLost
        case shutdown
    }

    /// Time within which a connection must end.
    private static let patience = TimeAmount.seconds(5)

    /// - Parameter listening: Called each time a socket accepts connections and only its owner can reach it.
    package convenience init(
        api: ControlAPI, socket: ControlSocket, logger: Logger,
        listening: @escaping @Sendable () -> Void
    ) {
        self.init(
            api: api, socket: socket, logger: logger, limits: RequestPhase.Limits(),
            mostConnections: ConnectionLimit.most(openFiles: OpenFiles.most), listening: listening)
    }

    /// - Parameter credentials: Determines the user of each connection.
    init(
        api: ControlAPI, socket: ControlSocket, logger: Logger, limits: RequestPhase.Limits, mostConnections: Int,
        credentials: any PeerCredentials = SystemPeerCredentials(), listening: @escaping @Sendable () -> Void
    ) {
        self.api = api
        self.socket = socket
        self.logger = logger
        self.limits = limits
        budget = BodyBudget(most: limits.allBytes)
        self.credentials = credentials
        connections = ConnectionLimit(most: mostConnections)
        self.listening = listening
    }

    package func run() async throws {
        try socket.prepare()
        defer { state.withLock { $0.file }.map(socket.remove) }
        let failure = await withTaskGroup(of: Part.self) { group -> (any Error)? in
            group.addTask { await self.serve() }
            group.addTask { await self.watch() }
            defer { group.cancelAll() }
            for await part in group {
                switch part {
                case .shutdown, .server(_, nil): continue
                case .socketLost:
                    let isReplaced = replace()
                    if isReplaced { group.addTask { await self.serve() } }
                    group.addTask { await self.watch(afterFailure: !isReplaced) }
                case .server(let channel, let error?):
                    if isFatal(channel, error) { return error }
                }
            }
            return nil
        }
        if let failure { throw failure }
    }

    // MARK: Socket lifecycle

    /// Accepts connections until graceful shutdown, or until its channel is closed and its last connection has ended.
    private func serve() async -> Part {
        let listening = Mutex<(any Channel)?>(nil)
        do {
            try await server { channel in listening.withLock { $0 = channel } }.run()
            return .server(listening.withLock { $0 }, nil)
        } catch {
            return .server(listening.withLock { $0 }, error)
        }
    }

    /// Whether the daemon cannot continue without the server that ended.
    private func isFatal(_ channel: (any Channel)?, _ error: any Error) -> Bool {
        state.withLock { state in
            // The channel of a lost socket was closed on purpose. Its last connection has just ended.
            if let channel { return state.channel === channel }
            guard state.file != nil else { return true }
            // The next check recreates it.
            state.isReplacing = false
            logger.error("The control socket cannot be created again", metadata: ["error": "\(error)"])
            return false
        }
    }

    /// Returns when the path does not lead to this server's socket, or when the server is shutting down.
    ///
    /// - Parameter hasFailed: Whether recreating a lost socket has just failed.
    private func watch(afterFailure hasFailed: Bool = false) async -> Part {
        await cancelWhenGracefulShutdown { [self] in
            let watch = SocketWatch(path: socket.path)
            watch.arm()
            if hasFailed { await watch.wait(briefly: true) }
            while !Task.isCancelled {
                // Before the check, so that no change is missed in between.
                watch.arm()
                let file = state.withLock { $0.isReplacing ? nil : $0.file }
                if let file, !socket.isThere(file) { return .socketLost }
                await watch.wait(briefly: file == nil)
            }
            return .shutdown
        }
    }

    /// Closes the channel of the lost socket. Open connections continue.
    ///
    /// - Returns: Whether a new socket can replace it.
    private func replace() -> Bool {
        do throws(ServiceError) {
            try socket.prepare()
        } catch {
            logger.warning("The control socket is missing and cannot be created again: \(error.message)")
            return false
        }
        logger.warning("The control socket was missing and was created again")
        let lost = state.withLock { state in
            defer { (state.channel, state.isReplacing) = (nil, true) }
            return state.channel
        }
        lost?.close(promise: nil)
        return true
    }

    /// Returns the service that accepts connections on a new socket.
    private func server(_ begun: @escaping @Sendable (any Channel) -> Void) throws -> ServiceGroup {
        let owner = geteuid()
        let answers = Answers(api.router().buildResponder(), logger: logger)
        let builder = HTTPServerBuilder.http1(
            configuration: .init(
                additionalChannelHandlers: [
                    RequestHandlers(self.connections, self.limits, self.budget),
                    PeerCheck(owner: owner, credentials: self.credentials, logger: self.logger),
                    QuiesceDeadline(limit: Self.patience),
                ]))
        let server = try builder.buildServer(
            configuration: ServerConfiguration(address: .unixDomainSocket(path: socket.nascent)),
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger,
            responder: { request, writer, channel in try await answers.answer(request, writer, channel) },
            onServerRunning: { channel in
                do throws(ServiceError) {
                    let facts = try self.socket.secure()
                    begun(channel)
                    self.state.withLock { ($0.file, $0.channel, $0.isReplacing) = (facts, channel, false) }
                    self.listening()
                } catch {
                    // Closing the channel ends the server.
                    self.logger.critical("\(error.message)")
                    channel.close(promise: nil)
                }
            })
        // The group throws if the server ends before shutdown.
        return ServiceGroup(configuration: ServiceGroupConfiguration(services: [server], logger: logger))
    }
}
