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

    /// A stopped server keeps the connection alive.
    @Test func `gives up a statement that is not answered in time, and asks the server to stop it`() async throws {
        let server = try await PostgresServer.shared()
        let database = try await server.makeDatabase()
        let address = try DatabaseAddress(server.address(database))
        let failure = await Self.failure(of: "SELECT pg_sleep(3600)", at: address, within: 1)
        #expect(failure?.isLoss == true && failure?.message.hasPrefix("no answer within 1 seconds") == true)
        try await eventually("the statement has ended") {
            try await server.query(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = '\(database)' AND query LIKE '%pg_sleep(3600)%' AND pid <> pg_backend_pid()"
            ) == "0"
        }
    }

    @Test func `sends and reads what is larger than any buffer`() async throws {
        let server = try await PostgresServer.shared()
        let address = try DatabaseAddress(server.address(try await server.makeDatabase()))
        let text = String(repeating: "x", count: 20 << 20)
        let connection = try PostgresConnection(address)
        let row = try connection.rows("SELECT $1::text, length($1)", [text], within: 60).rows[0]
        #expect(row[0] == text && row[1] == "\(text.utf8.count)")
        #expect(throws: PostgresFailure.self) { try connection.rows("SELECT 1/0", within: 60) }
        #expect(try connection.rows("SELECT 1", within: 60).single == "1")
    }

    /// Runs a statement on a thread of its own, since libpq's calls block.
    private static func failure(
        of statement: String, at address: DatabaseAddress, within limit: Double = .infinity
    ) async -> PostgresFailure? {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var failure: PostgresFailure?
                do {
                    try PostgresConnection(address).rows(statement, within: limit)
                } catch {
                    failure = error as? PostgresFailure
                }
                continuation.resume(returning: failure)
            }
        }
    }
}
