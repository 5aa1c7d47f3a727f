import FerryAPI
import FerryCore
import Foundation
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import ServiceLifecycle

/// The routes and limits shared by all listeners of the gateway.
struct GatewayRoutes: Sendable {
    let gateway: Gateway
    let answer: HTTPChannelHandler.Responder
    let sockets: RPCSockets
    let limits: GatewayLimits

    /// Whether a handshake (RFC 6455 §4.2.1) is complete and its client is allowed.
    func mayUpgrade(_ head: HTTPRequestHead) -> Bool {
        let path = head.uri.prefix { $0 != "?" }
        let access = GatewayAccess(gateway.settingsNow)
        let fields = head.headers
        guard path == GatewayRouter.rpcPath, head.method == .GET,
            fields[canonicalForm: "Upgrade"].contains(where: { $0.lowercased() == "websocket" }),
            fields[canonicalForm: "Connection"].contains(where: { $0.lowercased() == "upgrade" }),
            fields["Sec-WebSocket-Version"] == ["13"], fields["Host"].count == 1, fields["Origin"].count <= 1,
            fields["Sec-WebSocket-Key"].count == 1, Self.isKey(fields["Sec-WebSocket-Key"][0]),
            case .allowed = access.judge(host: fields.first(name: "Host"), origin: fields.first(name: "Origin"))
        else { return false }
        return true
    }
}

extension GatewayRoutes {
    /// Whether a key of a handshake is 16 bytes in Base64 (RFC 6455 §4.1).
    static func isKey(_ text: String) -> Bool { Data(base64Encoded: text)?.count == 16 }
}

/// Listens on one address of the gateway until it is stopped.
actor GatewayListener {
    private let address: String
    private let settings: GatewayListeners
    private let gateway: Gateway
    private let routes: GatewayRoutes
    private let retry: Duration
    private let logger: Logger
    private var group: ServiceGroup?
    private var waiting: Task<Void, Never>?
    private var isStopped = false
    /// The listening channel, or `nil` while the address is not open.
    private var channel: (any Channel)?

    init(
        address: String, settings: GatewayListeners, gateway: Gateway, routes: GatewayRoutes, retry: Duration,
        logger: Logger
    ) {
        self.address = address
        self.settings = settings
        self.gateway = gateway
        self.routes = routes
        self.retry = retry
        self.logger = logger
    }

    /// Runs until the listener is stopped and its last connection has ended.
    func run() async {
        while !isStopped {
            do {
                let running = try server()
                group = running
                try await running.run()
            } catch {
                await gateway.note(settings.generation, address, url: nil, problem: problem(error))
            }
            group = nil
            guard !isStopped, !Task.isCancelled else { break }
            let pause = Task { [retry] in _ = try? await Task.sleep(for: retry) }
            waiting = pause
            await pause.value
        }
    }

    /// Stops listening. Returns once the address is free for another listener. Open connections end by themselves.
    func stop() async {
        isStopped = true
        waiting?.cancel()
        await group?.triggerGracefulShutdown()
        try? await channel?.closeFuture.get()
    }

    private func listens(_ channel: any Channel) async {
        self.channel = channel
        // The listener was stopped before it started.
        if isStopped { channel.close(promise: nil) }
        await gateway.note(settings.generation, address, url: url)
    }

    private func server() throws -> ServiceGroup {
        var tls: NIOSSLContext?
        if let certificate = settings.certificate, let key = settings.key {
            tls = try GatewayTLS.context(certificate: certificate, key: key)
        }
        let routes = routes
        let channel = GatewayChannel(
            responder: routes.answer, limits: routes.limits, open: gateway.connections, tls: tls,
            mayUpgrade: { routes.mayUpgrade($0) },
            sockets: routes.sockets, logger: logger)
        let server = channel.server(
            configuration: ServerConfiguration(address: .hostname(address, port: settings.port)),
            onServerRunning: { channel in await self.listens(channel) },
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger)
        return ServiceGroup(configuration: ServiceGroupConfiguration(services: [server], logger: logger))
    }

    private var url: String {
        let host = address.contains(":") ? "[\(address)]" : address
        return "\(settings.certificate == nil ? "http" : "https")://\(host):\(settings.port)"
    }

    private func problem(_ error: any Error) -> String {
        if let error = error as? ServiceError { return error.message }
        let why: String
        switch (error as? IOError)?.errnoCode {
        case EADDRINUSE?: why = "another program uses the port; `ferry gateway on --port NUMBER` takes another one"
        case EADDRNOTAVAIL?: why = "this machine has no such address"
        case EACCES?: why = "the system does not permit it"
        default: why = "\(error)"
        }
        return "\(url): \(why)."
    }
}
