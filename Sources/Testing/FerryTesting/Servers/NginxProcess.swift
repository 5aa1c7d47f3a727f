import Foundation
import Subprocess
import Synchronization

/// A running nginx. Terminates only the process that it started.
final class NginxProcess: Sendable {
    private let folder: TemporaryFolder
    private let task: Task<Void, any Error>
    private let hasEnded: Box

    private final class Box: Sendable {
        let value = Atomic<Bool>(false)
    }

    /// Search path of the program: PATH, and the folders where distributions install it.
    private static let searchPath: String =
        [ProcessInfo.processInfo.environment["PATH"], "/usr/sbin", "/usr/local/sbin"].compactMap(\.self)
        .joined(separator: ":")

    static let isInstalled = searchPath.split(separator: ":")
        .contains { FileManager.default.isExecutableFile(atPath: "\($0)/nginx") }

    init(folder: TemporaryFolder) throws {
        guard Self.isInstalled else { throw TestingError("nginx is not installed.") }
        try? FileManager.default.removeItem(atPath: folder.file("nginx.pid"))
        self.folder = folder
        let hasEnded = Box()
        self.hasEnded = hasEnded
        task = Task(name: "nginx") {
            defer { hasEnded.value.store(true, ordering: .releasing) }
            var options = PlatformOptions()
            options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: .seconds(5))]
            _ = try await run(
                .name("nginx"),
                arguments: [
                    "-p", folder.path, "-c", folder.file("nginx.conf"), "-e", folder.file("error.log"),
                ],
                environment: .inherit.updating(["PATH": Self.searchPath]),
                platformOptions: options, output: .discarded, error: .discarded)
        }
    }

    /// Returns whether nginx accepts connections on all ports. False if it exited, for example because a port was
    /// taken.
    ///
    /// nginx writes its pid file after binding its ports, so another program's port is not mistaken for its own.
    func waitUntilReady(ports: [Int]) async throws -> Bool {
        do {
            try await eventually("nginx accepts connections") {
                if hasEnded.value.load(ordering: .acquiring) { return true }
                guard FileManager.default.fileExists(atPath: folder.file("nginx.pid")) else { return false }
                for port in ports where await !LocalPorts.accepts(port) { return false }
                return true
            }
        } catch {
            await stop()
            throw error
        }
        return !hasEnded.value.load(ordering: .acquiring)
    }

    func stop() async {
        task.cancel()
        _ = await task.result
    }
}
