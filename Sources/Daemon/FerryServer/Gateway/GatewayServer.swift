import FerryAPI
import FerryAria2
import FerryCore
import FerryQueue
import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import NIOSSL
import ServiceLifecycle

/// The gateway's listeners, as a service of the daemon. They exist while the gateway is on.
///
/// While it is off there is no port, no timer and only one waiting task. An occupied port does not end the daemon: the
/// listener retries while the gateway is on.
struct GatewayServer: Service {
    let gateway: Gateway
    let service: any SessionService
    let logger: Logger
    var limits = GatewayLimits()
    var wrongSecrets = WrongSecrets()
    /// Time between two attempts to listen on an address.
    var retry = Duration.seconds(5)

    func run() async throws {
        let changes = await gateway.follow()
        let routes = routes()
        await withTaskGroup(of: Void.self) { group in
            var running: Running?
            for await listeners in changes.cancelOnGracefulShutdown() {
                if running?.listeners == listeners { continue }
                await running?.stop()
                running = nil
                guard listeners.isOn else { continue }
                running = start(listeners, routes, in: &group)
            }
            await running?.stop()
            await group.waitForAll()
        }
    }

    /// Listeners started together.
    private struct Running {
        let listeners: GatewayListeners
        let all: [GatewayListener]

        func stop() async { for listener in all { await listener.stop() } }
    }

    private func start(
        _ listeners: GatewayListeners, _ routes: GatewayRoutes, in group: inout TaskGroup<Void>
    ) -> Running {
        let all = listeners.addresses.map { address in
            GatewayListener(
                address: address, settings: listeners, gateway: gateway, routes: routes, retry: retry, logger: logger)
        }
        for listener in all { group.addTask { await listener.run() } }
        return Running(listeners: listeners, all: all)
    }

    private func routes() -> GatewayRoutes {
        let gateway = gateway
        let log = RefusalLog(logger)
        let wrongSecrets = wrongSecrets
        let guarded = GuardedService(base: service, folders: { gateway.folders })
        var configuration = RPCEndpoint.Configuration(
            service: guarded, folder: gateway.folders.usual,
            secret: { .oneOf { gateway.keys.accept($0) } })
        configuration.showsAll = { gateway.settingsNow.showsAll }
        configuration.programOptions = { ["rpc-listen-port": "\(gateway.settingsNow.port)"] }
        configuration.checkFolder = { (path) throws(ServiceError) in try gateway.folders.check(folder: path) }
        let files = SessionFiles()
        configuration.saveSession = { (path, text) async throws(ServiceError) in
            try await files.write(text, to: path, allowed: gateway.folders)
        }
        configuration.log = { [logger] line in logger.info("\(line)") }
        let endpoint = RPCEndpoint(configuration)
        let router = GatewayRouter(
            gateway: gateway, service: guarded, endpoint: endpoint, wrongSecrets: wrongSecrets, log: log)
        let answers = Answers(router.router().buildResponder(), logger: logger)
        return GatewayRoutes(
            gateway: gateway, answer: { try await answers.answer($0, $1, $2) },
            sockets: RPCSockets(endpoint: endpoint, wrongSecrets: wrongSecrets, limits: limits, log: log),
            limits: limits)
    }
}
