import FerryClient
import FerryCore
import FerryTesting
import Foundation
import Synchronization
import Testing

/// An app with managers of one identifier, with the daemon for its tasks and the origin.
final class AppFixture: Sendable {
    static let identifier = "test"
    static let application = "org.example.app"

    let daemon: DaemonFixture
    let origin: ScriptedOrigin
    private let started = Mutex<[AppProcess]>([])

    init(_ origin: ScriptedOrigin) throws {
        daemon = try DaemonFixture()
        self.origin = origin
    }

    /// Folder for the managers' files.
    var cache: String { daemon.file("cache") }
    /// File for the shared event log of several processes.
    var storyFile: String { daemon.file("story.txt") }

    /// Starts a process of the app with initial commands.
    ///
    /// - Parameter isTold: Whether the process writes its events to the shared log.
    func launch(_ commands: String..., identifier: String = identifier, isTold: Bool = false) throws -> AppProcess {
        try started.withLock { started in
            let files = daemon.file("app-\(started.count)")
            let variables = [
                "FERRY_APPLICATION_ID": Self.application, "CACHE": cache, "EVENTS": isTold ? storyFile : files + ".txt",
            ]
            let process = try AppProcess(
                [identifier] + commands, environment: daemon.environment(variables), files: files)
            started.append(process)
            return process
        }
    }

    /// All lines of the shared log, in order.
    var story: [String] {
        String(decoding: FileManager.default.contents(atPath: storyFile) ?? Data(), as: UTF8.self)
            .split(separator: "\n").map(String.init)
    }

    /// Waits for a line of the shared log with this prefix.
    func line(_ beginning: String) async throws {
        do {
            try await eventually(within: .seconds(60)) { story.contains { $0.hasPrefix(beginning) } }
        } catch is TestingError {
            throw TestingError("“\(beginning)” is not told; told: \(story)\n\(daemon.log)")
        }
    }

    /// Returns the app's running processes.
    func processes() -> [pid_t] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { pid_t($0) }.filter { pid in
            guard let variables = FileManager.default.contents(atPath: "/proc/\(pid)/environ"),
                variables.split(separator: 0).contains(Data("CACHE=\(cache)".utf8)),
                let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/exe")
            else { return false }
            return program.hasSuffix("/\(BuiltProgram.managerApp.rawValue)")
        }
    }

    // MARK: The daemon

    /// A transfer in `ferry list --json` output.
    struct Shown: Decodable {
        var url: String
        var state: String
        var bytes_received: Int64
    }

    /// Returns the daemon's transfers.
    func transfers() async throws -> [Shown] {
        try await daemon.run(["list", "--json"]).json([Shown].self)
    }

    /// Waits until the daemon has exactly this number of transfers, all of them successful.
    func finished(_ count: Int) async throws {
        var last: [Shown] = []
        do {
            try await eventually(within: .seconds(60)) {
                last = try await transfers()
                return last.count == count && last.allSatisfy { $0.state == "succeeded" }
            }
        } catch is TestingError {
            throw TestingError("\(count) transfers have not succeeded, these are there: \(last)\n\(daemon.log)")
        }
    }

    /// Waits until the daemon has no unacknowledged events for the app's managers.
    func allIsAcknowledged() async throws {
        // An event of another session, which remains unacknowledged, marks the end of each reading.
        let added = try await daemon.run(["get", origin.url("/marker")])
        guard added.status == 0 else { throw TestingError("\(added)") }
        try await daemon.withClient { client in
            try await eventually("the managers' events are acknowledged") {
                let last = try await client.status().lastEvent
                var subscription = EventSubscription()
                subscription.after = 0
                for try await event in try await client.events(subscription) {
                    if event.session.name.hasPrefix(Self.application) { return false }
                    if let number = event.number, number >= last { return true }
                }
                return false
            }
        }
    }

    // MARK: Files

    /// The names of the finished files, sorted.
    var files: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: cache + "/File")) ?? []).sorted()
    }

    /// The names of the unfinished files, sorted.
    var partialFiles: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: cache + "/Tmp")) ?? []).sorted()
    }

    /// The digests of all finished files.
    func digests() throws -> [String] {
        try files.map { try FileDigest.sha256("\(cache)/File/\($0)") }
    }

    func stop() async {
        for process in started.withLock({ $0 }) where process.isRunning { await process.kill() }
        await daemon.stop()
    }
}

/// Runs `body` with an app, then stops everything.
func withApp(_ script: OriginScript, _ body: (AppFixture) async throws -> Void) async throws {
    try await withOrigin(script) { origin in
        let fixture = try AppFixture(origin)
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
