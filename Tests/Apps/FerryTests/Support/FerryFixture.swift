import Ferry
import FerryClient
import FerryCore
import FerryTesting
import FerryURLSession
import Foundation
import Synchronization
import Testing

/// A private daemon, an origin, and in-process managers connected to that daemon.
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

    /// Returns a configuration with a limit that allows all networks.
    static func configuration(limit: Int = 6, _ change: (inout SessionConfiguration) -> Void = { _ in })
        -> SessionConfiguration
    {
        var configuration = SessionConfiguration()
        configuration.allowsCellularAccess = true
        configuration.maxConcurrentTasksLimit = limit
        change(&configuration)
        return configuration
    }

    /// Folder for the managers' files, unless a test passes another cache.
    var cacheFolder: String { daemon.file("cache") }

    func cache(_ name: String = "cache") -> Cache { Cache(identifier, downloadPath: daemon.file(name)) }

    /// Returns a manager with the fixture's identifier, connected to the fixture's daemon.
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

    /// Returns a manager with a task that was suspended after `count` bytes, where the origin holds it.
    func suspended(after count: Int64) async throws -> (manager: SessionManager, task: DownloadTask) {
        let manager = manager()
        let task = try #require(manager.download(origin.url()))
        try await task.receives(count)
        try await answer { manager.suspend(task, handler: $0) }
        return (manager, task)
    }

    /// Connects the managers created in the closure to the fixture's daemon.
    func make<Made>(_ body: () throws -> Made) rethrows -> Made {
        try DaemonService.$substitute.withValue(service.withLock { $0 }, operation: body)
    }

    /// Closes the connection of all managers for good, as the end of their process would.
    ///
    /// Managers created later only know the state stored by the daemon.
    func leave(environment: [String: String] = [:]) async {
        let old = service.withLock { service in
            defer { service = Self.service(daemon, environment) }
            return service
        }
        await old.service.shutdown()
    }

    /// Returns a manager as in the application's next process.
    func relaunch(limit: Int = 6) async -> SessionManager {
        await leave()
        return manager(limit: limit)
    }

    /// Releases the managers, so that only the ones held by the test remain.
    func forgetManagers() { managers.withLock { $0 = [] } }

    // MARK: Circumstances

    /// Sets the network and power conditions reported to the daemon.
    func setConditions(_ json: String) throws {
        try Data(json.utf8).write(to: URL(filePath: daemon.file("conditions.json")), options: .atomic)
    }

    /// Returns the URLs of `count` files of the origin.
    func urls(_ count: Int, _ name: String = "file") -> [String] {
        (0..<count).map { origin.url("/\(name)-\($0).bin") }
    }

    /// Returns the number of the daemon's transfers.
    func stored() async throws -> Int { try await states().count }

    /// Returns the bytes received by each of the daemon's transfers.
    func bytes() async throws -> [Int64] {
        try await daemon.withClient { try await $0.transfers(.init()).transfers.map(\.bytesReceived) }
    }

    /// Waits until `count` of the daemon's transfers have finished, without any manager.
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

/// Runs `body` with a daemon and an origin, then stops both.
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
