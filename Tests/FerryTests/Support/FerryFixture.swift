import Ferry
import FerryClient
import FerryCore
import FerryTesting
import FerryURLSession
import Foundation
import Synchronization
import Testing

/// A daemon of its own, an origin, and managers of this process that find that daemon.
final class FerryFixture: Sendable {
    static let body = SeededBody(seed: 11, size: 300_000)

    let daemon: DaemonFixture
    let origin: ScriptedOrigin
    let identifier = "test-\(UInt32.random(in: 0 ... .max))"
    private let service: Mutex<DaemonService>
    private let managers = Mutex<[SessionManager]>([])

    init(_ origin: ScriptedOrigin, environment: [String: String] = [:]) throws {
        daemon = try DaemonFixture()
        self.origin = origin
        service = Mutex(Self.service(daemon, environment))
    }

    private static func service(_ daemon: DaemonFixture, _ environment: [String: String]) -> DaemonService {
        let conditions = ["FERRY_CONDITIONS_FILE": daemon.file("conditions.json")]
        return DaemonService(environment: daemon.environment(conditions.merging(environment) { $1 }))
    }

    // MARK: Managers

    /// A configuration with a limit; the network may be of any kind.
    static func configuration(limit: Int = 6, _ change: (inout SessionConfiguration) -> Void = { _ in })
        -> SessionConfiguration
    {
        var configuration = SessionConfiguration()
        configuration.allowsCellularAccess = true
        configuration.maxConcurrentTasksLimit = limit
        change(&configuration)
        return configuration
    }

    /// Where the files of the test's managers are, unless it gives them a cache of their own.
    var cacheFolder: String { daemon.file("cache") }

    func cache(_ name: String = "cache") -> Cache { Cache(identifier, downloadPath: daemon.file(name)) }

    /// A manager with the fixture's identifier, which finds the fixture's daemon.
    func manager(
        limit: Int = 6, identifier: String? = nil, logger: (any Logable)? = nil, cache: Cache? = nil,
        queue: DispatchQueue = DispatchQueue(label: "test"), _ change: (inout SessionConfiguration) -> Void = { _ in }
    ) -> SessionManager {
        let manager = make {
            SessionManager(
                identifier ?? self.identifier, configuration: Self.configuration(limit: limit, change),
                logger: logger ?? SilentLogger(), cache: cache ?? self.cache(), operationQueue: queue)
        }
        managers.withLock { $0.append(manager) }
        return manager
    }

    /// A manager with a task that was suspended after so many bytes, where the origin holds it.
    func suspended(after count: Int64) async throws -> (manager: SessionManager, task: DownloadTask) {
        let manager = manager()
        let task = try #require(manager.download(origin.url()))
        try await task.receives(count)
        try await answer { manager.suspend(task, handler: $0) }
        return (manager, task)
    }

    /// Lets what is made in the closure find the fixture's daemon.
    func make<Made>(_ body: () throws -> Made) rethrows -> Made {
        try DaemonService.$substitute.withValue(service.withLock { $0 }, operation: body)
    }

    /// Breaks the connection of all managers for good, as the end of their process does.
    ///
    /// Managers that are made later know only what the daemon has stored.
    func leave(environment: [String: String] = [:]) async {
        let old = service.withLock { service in
            defer { service = Self.service(daemon, environment) }
            return service
        }
        await old.service.shutdown()
    }

    /// A manager as the next process of the application has it.
    func relaunch(limit: Int = 6) async -> SessionManager {
        await leave()
        return manager(limit: limit)
    }

    /// Lets go of the managers, so that all that the test does not hold are gone.
    func forgetManagers() { managers.withLock { $0 = [] } }

    // MARK: Circumstances

    /// Replaces what the daemon takes for the conditions of the machine.
    func setConditions(_ json: String) throws {
        try Data(json.utf8).write(to: URL(filePath: daemon.file("conditions.json")), options: .atomic)
    }

    /// URLs of that many files of the origin.
    func urls(_ count: Int, _ name: String = "file") -> [String] {
        (0..<count).map { origin.url("/\(name)-\($0).bin") }
    }

    /// How many transfers the daemon has.
    func stored() async throws -> Int { try await states().count }

    /// The bytes that the daemon has of each of its transfers.
    func bytes() async throws -> [Int64] {
        try await daemon.withClient { try await $0.transfers(.init()).transfers.map(\.bytesReceived) }
    }

    /// Returns once that many of the daemon's transfers have ended, without any manager.
    func waitForEnds(_ count: Int) async throws {
        try await eventually("\(count) transfers have ended") {
            try await states().count { $0 == .succeeded || $0 == .failed } >= count
        }
    }

    private func states() async throws -> [TransferState] {
        try await daemon.withClient { try await $0.transfers(.init()).transfers.map(\.state) }
    }

    // MARK: End

    func stop() async {
        for manager in managers.withLock({ $0 }) { manager.invalidate() }
        forgetManagers()
        await service.withLock { $0 }.service.shutdown()
        await daemon.stop()
    }
}

/// Runs some code with a daemon and an origin, and ends both afterwards.
func withFerry(
    _ script: OriginScript = OriginScript(FerryFixture.body), environment: [String: String] = [:],
    _ body: (FerryFixture) async throws -> Void
) async throws {
    try await withOrigin(script) { origin in
        let fixture = try FerryFixture(origin, environment: environment)
        do {
            try await body(fixture)
            await fixture.stop()
        } catch {
            Attachment.record(fixture.daemon.log, named: "ferryd.log")
            await fixture.stop()
            throw error
        }
    }
}
