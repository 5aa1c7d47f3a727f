import FerryAPI
import FerryClient
import FerryCore
import FerryQueue
import FerryServer
import FerryService
import FerryStore
import FerrySystem
import FerryTesting
import Foundation
import Logging
import ServiceLifecycle

/// A test's changes to its service's configuration.
typealias Tweak = (inout ServiceConfiguration) -> Void

/// Runs `body` with a service, an origin and a folder.
///
/// Retry delays last a thousandth of a daemon's.
func withService(
    _ kind: ServiceKind, _ script: OriginScript = OriginScript(), _ tweak: Tweak = { _ in },
    _ body: (ServiceBed) async throws -> Void
) async throws {
    try await withTemporaryFolder { outside in
        try await withOrigin(script) { origin in
            try await withService(kind, origin, outside, tweak, body)
        }
    }
}

/// Runs `body` with a service whose state folder outlives it.
func withService(
    _ kind: ServiceKind, _ origin: ScriptedOrigin, _ outside: TemporaryFolder, keepsState: Bool = false,
    _ tweak: Tweak = { _ in }, _ body: (ServiceBed) async throws -> Void
) async throws {
    let paths = try FerryPaths(environment: ["FERRY_HOME": outside.path], userID: geteuid())
    for folder in [paths.stateFolder, outside.file("in")] {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    let stateFolder = keepsState || kind == .overSocket ? paths.stateFolder : nil
    var configuration = ServiceConfiguration(
        stateFolder: stateFolder, logger: logger, environment: [:],
        journal: stateFolder.map { SQLiteJournal.opening(in: $0, logger: logger) } ?? MemoryJournal.opening)
    configuration.delayScale = 0.001
    configuration.machine.random = { 0.5 }
    configuration.checkpointInterval = 0.02
    tweak(&configuration)
    let local = try await LocalTransferService.open(configuration)
    switch kind {
    case .inProcess:
        try await finally {
            try await body(ServiceBed(service: local, origin: origin, outside: outside))
        } then: {
            await local.shutdown()
        }
    case .overSocket:
        try await serve(local, at: paths, logger) { remote in
            try await body(ServiceBed(service: remote, origin: origin, outside: outside))
        }
    }
}

/// Runs `body` with an in-process service whose journal is a file.
func withStoredService(
    _ script: OriginScript, _ tweak: Tweak = { _ in },
    _ body: (ServiceBed, LocalTransferService) async throws -> Void
) async throws {
    try await withTemporaryFolder { outside in
        try await withOrigin(script) { origin in
            try await withService(.inProcess, origin, outside, keepsState: true, tweak) { bed in
                guard let local = bed.service as? LocalTransferService else { throw TestingError("no service here") }
                try await body(bed, local)
            }
        }
    }
}

/// Runs `body` with a client of a service, over its socket.
private func serve(
    _ local: LocalTransferService, at paths: FerryPaths, _ logger: Logger,
    _ body: (RemoteTransferService) async throws -> Void
) async throws {
    let (listening, continuation) = AsyncStream<Void>.makeStream()
    let server = ControlServer(
        api: ControlAPI(service: local, stop: {}), socket: ControlSocket(path: paths.socket), logger: logger,
        listening: { continuation.yield() })
    let group = ServiceGroup(services: [local, server], logger: logger)
    async let running: Void = {
        defer { continuation.finish() }
        try await group.run()
    }()
    for await _ in listening { break }
    var client = ClientConfiguration(paths: paths, environment: [:])
    client.startsDaemon = false
    let remote = RemoteTransferService(client)
    try await finally {
        try await body(remote)
    } then: {
        await local.prepareToEnd()
        await remote.shutdown()
        await group.triggerGracefulShutdown()
    }
    try await running
}

/// Runs `body`, then `end`, even if `body` throws.
private func finally(_ body: () async throws -> Void, then end: () async -> Void) async throws {
    do {
        try await body()
    } catch {
        await end()
        throw error
    }
    await end()
}
