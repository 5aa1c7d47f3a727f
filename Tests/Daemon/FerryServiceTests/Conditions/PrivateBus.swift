import FerryTesting
import Foundation

/// A private message bus.
final class PrivateBus: Sendable {
    static let daemon = "/usr/bin/dbus-daemon"
    static let python = "/usr/bin/python3"

    /// Whether this machine has the required programs, which scripts/test installs.
    static var isInstalled: Bool {
        [daemon, python].allSatisfy(FileManager.default.isExecutableFile)
    }

    private let folder: TemporaryFolder
    private let process: ChildProcess

    fileprivate init(in folder: TemporaryFolder) throws {
        self.folder = folder
        let configuration = """
            <busconfig><type>custom</type><listen>unix:path=\(folder.file("bus"))</listen><auth>EXTERNAL</auth>
            <policy context="default"><allow user="*"/><allow own="*"/><allow send_destination="*"/>
            <allow receive_sender="*"/></policy></busconfig>
            """
        try Data(configuration.utf8).write(to: URL(fileURLWithPath: folder.file("bus.conf")))
        process = try ChildProcess(
            ChildProcess.Command(
                Self.daemon, ["--config-file=" + folder.file("bus.conf"), "--nofork", "--nopidfile"], environment: [:],
                folder: folder.path), files: folder.file("bus-log"))
    }

    var address: String { "unix:path=" + folder.file("bus") }

    /// Starts a service with a name and properties.
    func start(_ name: String, _ properties: [String: FakeBusService.Value]) throws -> FakeBusService {
        try FakeBusService(name, properties, socket: folder.file("bus"), in: folder)
    }

    func end() async {
        process.send(SIGKILL)
        _ = await process.result()
    }
}

/// Runs `body` with a ready message bus.
func withPrivateBus(_ body: (PrivateBus) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
        let bus = try PrivateBus(in: folder)
        do {
            try await eventually("the bus is there") { FileManager.default.fileExists(atPath: folder.file("bus")) }
            try await body(bus)
        } catch {
            await bus.end()
            throw error
        }
        // Its services end with their connections.
        await bus.end()
    }
}
