import FerryCore
import FerryFleet
import FerryTesting
import Synchronization
import Testing

@testable import FerryPostgres

/// Calls that take long, and transactions that hold things up.
@Suite(.enabled(if: PostgresServer.programs != nil, "PostgreSQL's server is not installed."), .timeLimit(.minutes(2)))
struct `A database that keeps a fleet waiting` {
    @Test func `a missing standby is named while a submission waits for it`() async throws {
        let server = try await PostgresServer(port: 5498)
        try await FleetDatabase.withQueue(on: server) { server, database, queue in
            let said = Mutex<[String]>([])
            await queue.reportDelays { sentence in said.withLock { $0.append(sentence) } }
            try await server.query("ALTER SYSTEM SET synchronous_standby_names = 'twin'")
            try await server.query("SELECT pg_reload_conf()")
            try await eventually("the setting counts") {
                try await server.query("SHOW synchronous_standby_names") == "twin"
            }
            async let results = queue.submit([QueueUnderTest.request(1)])
            try await eventually("it says what it waits for") { said.withLock { !$0.isEmpty } }
            let other = PostgresQueue(try DatabaseAddress(server.address(database)))
            let facts = try await other.facts()
            #expect(facts.synchronousStandbys == "twin" && facts.connectedStandbys == 0)
            await other.close()
            try await server.query("ALTER SYSTEM RESET synchronous_standby_names")
            try await server.query("SELECT pg_reload_conf()")
            #expect(try await results.map { $0.id != nil } == [true])
            let sentence = said.withLock { $0[0] }
            #expect(
                sentence.contains("a synchronous standby, as synchronous_standby_names = 'twin' says"), "\(sentence)")
        }
        await server.remove()
    }

    @Test func `a lock that is waited for is named with its holder`() async throws {
        try await FleetDatabase.withQueue { server, database, queue in
            let said = Mutex<[String]>([])
            await queue.reportDelays { sentence in said.withLock { $0.append(sentence) } }
            let holder = try PostgresConnection(try DatabaseAddress(server.address(database)))
            try holder.run("BEGIN; LOCK TABLE ferry.requests")
            async let results = queue.submit([QueueUnderTest.request(1)])
            try await eventually("it says what it waits for") { said.withLock { !$0.isEmpty } }
            try holder.run("COMMIT")
            #expect(try await results.map { $0.id != nil } == [true])
            #expect(said.withLock { $0[0] }.hasSuffix("a lock of process \(holder.process). See pg_stat_activity."))
        }
    }

    @Test func `the oldest transaction is named, a prepared one too, with the SQL that ends it`() async throws {
        let server = try await PostgresServer(port: 5494, settings: ["max_prepared_transactions": "2"])
        try await FleetDatabase.withQueue(on: server) { server, database, queue in
            #expect(try await queue.facts().oldestTransaction == nil)
            try await server.query("BEGIN; CREATE TABLE other (); PREPARE TRANSACTION 'lost''s'", in: database)
            let prepared = try #require(try await queue.facts().oldestTransaction)
            #expect(prepared.name == "the prepared transaction 'lost''s' of postgres" && prepared.age < 600)
            // It holds up no end.
            let start = try await queue.ends(after: nil, limit: 1).next
            let ids = try await queue.submit([QueueUnderTest.request(1)]).compactMap(\.id)
            _ = try await queue.act(.cancel, on: ids)
            #expect(try await queue.ends(after: start, limit: 9).ends.map(\.job.id) == ids)
            try await server.query(prepared.end, in: database)
            let holder = try PostgresConnection(try DatabaseAddress(server.address(database)))
            try holder.run("BEGIN; SELECT 1")
            #expect(try await queue.facts().oldestTransaction == nil, "it holds up nothing")
            try holder.run("COMMIT; BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1")
            let open = try #require(try await queue.facts().oldestTransaction)
            #expect(open.name == "process \(holder.process), ferry-fleet, of postgres")
            try await server.query(open.end, in: database)
            #expect(throws: PostgresFailure.self) { try holder.run("SELECT 1") }
        }
        await server.remove()
    }
}
