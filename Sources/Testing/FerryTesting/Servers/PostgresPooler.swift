import Foundation
import Glibc

/// A pgbouncer that shares one connection to a server between its clients, a transaction at a time.
package final class PostgresPooler: Sendable {
    private let folder: TemporaryFolder
    private let running: RunningServer

    /// The program, or `nil` if it is not installed.
    package static let program: String? = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// Starts it in front of a server. Its only login is `postgres`.
    package init(_ server: PostgresServer) async throws {
        guard let program = Self.program else { throw TestingError("pgbouncer is not installed.") }
        folder = try TemporaryFolder()
        let settings = """
            [databases]
            * = \(server.place)
            [pgbouncer]
            pool_mode = transaction
            default_pool_size = 1
            unix_socket_dir = \(folder.path)
            listen_port = 6432
            auth_type = trust
            auth_file = \(folder.file("users"))

            """
        try Data(settings.utf8).write(to: URL(filePath: folder.file("settings")))
        try Data("\"postgres\" \"\"\n".utf8).write(to: URL(filePath: folder.file("users")))
        if getuid() == 0 { try await PostgresServer.run("/usr/bin/chown", ["-R", "postgres", folder.path]) }
        running = try RunningServer([program, folder.file("settings")], folder: folder)
        let socket = folder.file(".s.PGSQL.6432")
        try await eventually("pgbouncer has a socket") { [running] in
            if !running.process.isRunning { throw TestingError("pgbouncer has exited: \(running.process.stderr)") }
            return FileManager.default.fileExists(atPath: socket)
        }
    }

    /// Libpq's connection string of a database.
    package func address(_ database: String) -> String {
        "host=\(folder.path) port=6432 dbname=\(database) user=postgres"
    }

    /// Stops it and removes its folder.
    package func remove() async {
        await running.end(with: "INT")
        folder.remove()
    }
}
