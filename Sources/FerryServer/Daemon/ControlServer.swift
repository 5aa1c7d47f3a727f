import FerryCore
import Foundation
import Hummingbird
import HummingbirdCore
package import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization

/// The control API on its socket, as a part of the daemon.
///
/// Runs until graceful shutdown: takes no more connections then, ends event streams, answers what it was asked, and
/// removes the socket. A socket that was deleted or replaced meanwhile is made again: no client could reach the daemon.
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
        /// The socket that clients find; nil before the first.
        var file: PathFacts?
        /// What takes connections from it.
        var channel: (any Channel)?
        /// Whether a socket is being made in place of one that was lost.
        var isReplacing = false
    }

    /// How a part of the server came to its end.
    private enum Part {
        /// The server that took connections from this channel; nil if it never did.
        case server((any Channel)?, (any Error)?)
        /// The name does not lead to our socket.
        case socketLost
        case shutdown
    }

    /// Time that a connection may take to end.
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

    /// - Parameter credentials: says whose connections there are.
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

    // MARK: The socket's life

    /// Takes connections until graceful shutdown, or until its channel is closed and its last connection has ended.
    private func serve() async -> Part {
        let listening = Mutex<(any Channel)?>(nil)
        do {
            try await server { channel in listening.withLock { $0 = channel } }.run()
            return .server(listening.withLock { $0 }, nil)
        } catch {
            return .server(listening.withLock { $0 }, error)
        }
    }

    /// Whether the daemon cannot go on without the server that ended.
    private func isFatal(_ channel: (any Channel)?, _ error: any Error) -> Bool {
        state.withLock { state in
            // The channel of a lost socket was closed on purpose; its last connection has just ended.
            if let channel { return state.channel === channel }
            guard state.file != nil else { return true }
            // Another one is made at the next look.
            state.isReplacing = false
            logger.error("The control socket cannot be made again", metadata: ["error": "\(error)"])
            return false
        }
    }

    /// Returns when the name does not lead to our socket, or the server is about to end.
    ///
    /// - Parameter hasFailed: Whether a lost socket could not be made again just now.
    private func watch(afterFailure hasFailed: Bool = false) async -> Part {
        await cancelWhenGracefulShutdown { [self] in
            let watch = SocketWatch(path: socket.path)
            watch.arm()
            if hasFailed { await watch.wait(briefly: true) }
            while !Task.isCancelled {
                // Before the look, so that no change falls in between.
                watch.arm()
                let file = state.withLock { $0.isReplacing ? nil : $0.file }
                if let file, !socket.isThere(file) { return .socketLost }
                await watch.wait(briefly: file == nil)
            }
            return .shutdown
        }
    }

    /// Whether a new socket can take the place of the lost one. What is connected stays so.
    private func replace() -> Bool {
        do throws(ServiceError) {
            try socket.prepare()
        } catch {
            logger.warning("The control socket is gone and cannot be made again: \(error.message)")
            return false
        }
        logger.warning("The control socket was gone and is made again")
        let lost = state.withLock { state in
            defer { (state.channel, state.isReplacing) = (nil, true) }
            return state.channel
        }
        lost?.close(promise: nil)
        return true
    }

    /// What takes connections from a new socket.
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
                    // The server ends with its channel.
                    self.logger.critical("\(error.message)")
                    channel.close(promise: nil)
                }
            })
        // Ends with an error if the server does so before it is to.
        return ServiceGroup(configuration: ServiceGroupConfiguration(services: [server], logger: logger))
    }
}
