import Foundation
import Glibc
import Synchronization

/// A PostgreSQL server of the tests' own, on a socket in a temporary folder. It ends with the process of the tests.
package final class PostgresServer: Sendable {
    private let folder: TemporaryFolder
    private let child: Mutex<RunningServer?>
    private let lastDatabase = Mutex(0)
    private let port: Int
    private let environment: [String: String]

    /// Folder of the server's programs, or `nil` if PostgreSQL is not installed. `FERRY_POSTGRES` names another one.
    package static let programs: String? = {
        if let folder = ProcessInfo.processInfo.environment["FERRY_POSTGRES"] { return folder }
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        let newest = versions.compactMap(Int.init).sorted().last.map { "\(root)/\($0)/bin" }
        return newest.flatMap { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") ? $0 : nil }
    }()

    /// A server that all tests of this process share. Each takes a database of its own.
    package static func shared() async throws -> PostgresServer { try await sharedTask.value }

    private static let sharedTask = Task { try await PostgresServer() }

    /// Creates and starts a server.
    ///
    /// - Parameters:
    ///   - port: Names the socket. Nobody listens on TCP unless `settings` say so.
    ///   - environment: More variables of its environment.
    package init(
        port: Int = 5432, settings: [String: String] = [:], environment: [String: String] = [:]
    ) async throws {
        guard let programs = Self.programs else { throw TestingError("PostgreSQL is not installed.") }
        folder = try TemporaryFolder()
        self.port = port
        self.environment = environment
        child = Mutex(nil)
        if getuid() == 0 { try await Self.run("/usr/bin/chown", ["postgres", folder.path]) }
        try await Self.run(
            programs + "/initdb", ["-D", folder.file("data"), "-U", "postgres", "-A", "trust", "--no-sync"],
            asServer: true)
        var lines = [
            "listen_addresses": "''", "unix_socket_directories": "'\(folder.path)'", "port": "\(port)", "fsync": "off",
            "max_connections": "100",
        ]
        lines.merge(settings) { $1 }
        let text = lines.map { "\($0.key) = \($0.value)\n" }.sorted().joined()
        try await Self.run(
            "/bin/sh", ["-c", "cat >> '\(folder.file("data"))/postgresql.conf'"], input: text, asServer: true)
        try await start()
    }

    /// Libpq's connection string without a database.
    package var place: String { "host=\(folder.path) port=\(port)" }

    /// Path of the socket.
    package var socket: String { folder.file(".s.PGSQL.\(port)") }

    /// Libpq's connection string of a database.
    package func address(_ database: String = "postgres", user: String = "postgres") -> String {
        "\(place) dbname=\(database) user=\(user)"
    }

    /// Creates an empty database and returns its name.
    package func makeDatabase() async throws -> String {
        let name = lastDatabase.withLock { number in
            number += 1
            return "test\(number)"
        }
        try await query("CREATE DATABASE \(name)")
        return name
    }

    /// Runs a statement with psql and returns its output.
    @discardableResult
    package func query(_ statement: String, in database: String = "postgres", user: String = "postgres") async throws
        -> String
    {
        guard let programs = Self.programs else { throw TestingError("PostgreSQL is not installed.") }
        return try await Self.run(
            programs + "/psql", [address(database, user: user), "-XAtq", "-v", "ON_ERROR_STOP=1", "-c", statement])
    }

    /// Starts the server again.
    package func start() async throws {
        guard let programs = Self.programs else { throw TestingError("PostgreSQL is not installed.") }
        let running = try RunningServer(
            [programs + "/postgres", "-D", folder.file("data")], folder: folder, environment: environment)
        child.withLock { $0 = running }
        try await eventually("PostgreSQL accepts connections") {
            if !running.process.isRunning {
                throw TestingError("PostgreSQL has exited: \(running.process.stderr)")
            }
            return (try? await query("SELECT 1")) != nil
        }
    }

    /// Stops the server: at once, as if its machine were lost, or with a checkpoint.
    package func stop(atOnce: Bool = true) async {
        let running = child.withLock { child in
            defer { child = nil }
            return child
        }
        await running?.end(with: atOnce ? "QUIT" : "INT")
    }

    /// Stops the server and removes its folder.
    package func remove() async {
        await stop()
        folder.remove()
    }

    @discardableResult
    static func run(
        _ program: String, _ arguments: [String], input: String? = nil, asServer: Bool = false
    ) async throws -> String {
        let io = try TemporaryFolder()
        defer { io.remove() }
        var words = [program] + arguments
        if asServer, getuid() == 0 {
            words = ["/usr/bin/setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] + words
        }
        var command = ChildProcess.Command(
            words[0], Array(words.dropFirst()), environment: ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"], folder: "/")
        if let input {
            command.input = io.file("in")
            try Data(input.utf8).write(to: URL(filePath: command.input))
        }
        let result = try await ChildProcess(command, files: io.file("io")).result()
        guard result.status == 0 else { throw TestingError("\(program) failed: \(result.stderr)") }
        return result.stdout.hasSuffix("\n") ? String(result.stdout.dropLast()) : result.stdout
    }
}
