import FerryTesting
import Foundation
import Testing

@testable import FerryPostgres

@Suite(.enabled(if: PostgresServer.programs != nil, "PostgreSQL's server is not installed."), .timeLimit(.minutes(2)))
struct `A connection to PostgreSQL` {
    /// With `tcp_user_timeout` alone a client that waits for an answer waits for ever: nothing that it sent is unacknowledged.
    @Test func `notices that the network is cut while it waits for an answer`() async throws {
        let server = try await PostgresServer.shared()
        let database = try await server.makeDatabase()
        let path = try CuttablePath(toSocketAt: server.socket)
        let address = try DatabaseAddress(
            "host=127.0.0.1 port=\(path.port) dbname=\(database) user=postgres sslmode=disable")
        async let failure = Self.failure(of: "SELECT pg_sleep(3600)", at: address)
        try await eventually("the server works on the statement") {
            try await server.query(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = '\(database)' AND wait_event = 'PgSleep'") == "1"
        }
        path.cut()
        #expect(await failure?.isLoss == true)
        path.end()
    }

    /// Runs a statement on a thread of its own, since libpq's calls block.
    private static func failure(of statement: String, at address: DatabaseAddress) async -> PostgresFailure? {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var failure: PostgresFailure?
                do {
                    try PostgresConnection(address).run(statement)
                } catch {
                    failure = error as? PostgresFailure
                }
                continuation.resume(returning: failure)
            }
        }
    }
}
