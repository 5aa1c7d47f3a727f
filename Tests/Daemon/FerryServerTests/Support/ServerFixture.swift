import FerryAPI
import FerryCore
@testable import FerryServer
import FerryTesting
import Foundation
import Logging
import ServiceLifecycle

extension FakeService: HostedService {
    package func prepareToEnd() async {}

    package func run() async throws {
        try? await gracefulShutdown()
        guard let end = self.answers.end else { return }
        for await _ in end { break }
    }
}

/// Runs `body` with a temporary folder. Its path is short enough for sockets.
func withFolder<Result>(_ body: (String) async throws -> Result) async throws -> Result {
    let folder = "/tmp/ferry-\(UInt32.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    let result: Result
    do {
        result = try await body(folder)
    } catch {
        try? FileManager.default.removeItem(atPath: folder)
        throw error
    }
    try? FileManager.default.removeItem(atPath: folder)
    return result
}

/// Runs `body` with a server for a fake service, then ends the server as a signal would.
func withServer(
    _ service: FakeService = FakeService(), limits: RequestPhase.Limits = RequestPhase.Limits(),
    mostConnections: Int = 1024, credentials: any PeerCredentials = SystemPeerCredentials(),
    again: @escaping @Sendable () -> Void = {}, log: (@Sendable (Logger.Level, String) -> Void)? = nil,
    _ body: (SocketClient) async throws -> Void
) async throws {
    try await withFolder { folder in
        let path = folder + "/run/ferryd.sock"
        let (listening, continuation) = AsyncStream<Void>.makeStream()
        var logger = Logger(label: "test")
        if let log { logger.handler = ToldLog(log) }
        logger.logLevel = log == nil ? .critical : .notice
        let server = ControlServer(
            api: ControlAPI(
                service: service,
                gateway: Gateway(
                    folder: folder + "/gateway", usual: GatewaySettings(folders: ["/d"]), logger: logger), stop: {}),
            socket: ControlSocket(path: path), logger: logger,
            limits: limits, mostConnections: mostConnections, credentials: credentials,
            listening: {
                continuation.yield()
                again()
            })
        let group = ServiceGroup(services: [server], logger: logger)
        async let running: Void = {
            defer { continuation.finish() }
            try await group.run()
        }()
        for await _ in listening { break }
        do {
            try await body(SocketClient(path: path))
        } catch {
            await group.triggerGracefulShutdown()
            try await running
            throw error
        }
        await group.triggerGracefulShutdown()
        try await running
    }
}

/// Passes log messages to a test.
private struct ToldLog: LogHandler {
    let notify: @Sendable (Logger.Level, String) -> Void
    var metadata = Logger.Metadata()
    var logLevel = Logger.Level.trace

    init(_ notify: @escaping @Sendable (Logger.Level, String) -> Void) { self.notify = notify }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { notify(event.level, "\(event.message)") }
}

/// Returns the permission bits of a file.
func mode(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
}
