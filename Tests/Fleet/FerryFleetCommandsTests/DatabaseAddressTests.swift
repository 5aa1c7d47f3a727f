import FerryCore
import FerryPostgres
import FerryTesting
import Foundation
import Testing

/// Options from the environment and the service file count like those of the text.
@Suite(.enabled(if: PostgresServer.programs != nil, "PostgreSQL's server is not installed."), .timeLimit(.minutes(1)))
struct `The address of the database from outside` {
    private static func list(
        _ environment: [String: String], _ text: String = "dbname=postgres user=postgres"
    ) async throws -> CommandResult {
        let home = try TemporaryFolder()
        defer { home.remove() }
        var all = ["PATH": "/usr/bin:/bin", "HOME": home.path, "FERRY_HOME": home.path]
        all.merge(environment) { $1 }
        let command = ChildProcess.Command(
            try BuiltProgram.fleet.path(), ["list", "--database", text], environment: all, folder: "/")
        return try await ChildProcess(command, files: home.file("io")).result()
    }

    @Test(arguments: [
        ["PGHOST": "db.invalid", "PGSSLMODE": "require"], ["PGHOST": "127.fake.invalid", "PGSSLMODE": "disable"],
        ["PGSERVICE": "fleet"],
    ])
    func `is refused if it verifies no server`(environment: [String: String]) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try Data("[fleet]\nhost=db.invalid\nsslmode=allow\n".utf8).write(to: URL(filePath: folder.file("services")))
        let result = try await Self.list(environment.merging(["PGSERVICEFILE": folder.file("services")]) { $1 })
        #expect(result.status == ErrorExit.usage.rawValue && result.stderr.contains("does not verify"), "\(result)")
    }

    @Test func `needs no TLS on loopback, whoever names it`() async throws {
        let port = try #require(try await LocalPorts.free(1).first)
        let server = try await PostgresServer(
            port: port, settings: ["listen_addresses": "'127.0.0.1'"])
        do {
            let database = try await server.makeDatabase()
            _ = try SchemaMigration.initialize(DatabaseAddress(server.address(database)))
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let service = "[fleet]\nhost=127.0.0.1\nport=\(port)\ndbname=\(database)\nuser=postgres\n"
            try Data(service.utf8).write(to: URL(filePath: folder.file("services")))
            let services = ["PGSERVICEFILE": folder.file("services")]
            let named = try await Self.list(services, "service=fleet")
            #expect(named.status == 0, "\(named)")
            let address = try await Self.list(
                ["PGHOST": "db.invalid", "PGHOSTADDR": "127.0.0.1", "PGPORT": "\(port)"],
                "dbname=\(database) user=postgres")
            #expect(address.status == 0, "\(address)")
        } catch {
            await server.remove()
            throw error
        }
        await server.remove()
    }
}
