import FerryCore
import FerryFleet
import FerryTesting
import Foundation
import Testing

@testable import FerryPostgres

/// Encodings, triggers, schemas and standbys that a fleet finds in a database.
@Suite(.enabled(if: PostgresServer.programs != nil, "PostgreSQL's server is not installed."), .timeLimit(.minutes(2)))
struct `A database of somebody else` {
    // MARK: What cannot work

    @Test func `a server before version 14 is refused with its version`() throws {
        try DatabaseRequirements.check(version: 140_000)
        let refusal = #expect(throws: ServiceError.self) { try DatabaseRequirements.check(version: 130_022) }
        #expect(refusal?.code == .queueUnsuitable)
        #expect(refusal?.message.contains("needs PostgreSQL 14 or later, and the server is version 13") == true)
    }

    @Test(arguments: ["LATIN1", "SQL_ASCII"])
    func `an encoding other than UTF8 is refused with its name`(encoding: String) async throws {
        let server = try await PostgresServer.shared()
        let name = "encoded_\(encoding.lowercased())"
        try await server.query(
            "CREATE DATABASE \(name) ENCODING '\(encoding)' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'")
        let address = try DatabaseAddress(server.address(name))
        let queue = PostgresQueue(address)
        for refusal in [
            await FleetDatabase.failure { _ = try SchemaMigration.initialize(address) },
            await FleetDatabase.failure { _ = try await queue.facts() },
            await FleetDatabase.failure { _ = try await queue.perform(.join(QueueUnderTest.worker("w")), as: nil) },
        ] {
            #expect(refusal?.code == .queueUnsuitable)
            #expect(refusal?.message.contains("is \(encoding), and the fleet needs UTF8") == true, "\(refusal as Any)")
            #expect(refusal?.message.contains("CREATE DATABASE \"\(name)_utf8\" ENCODING 'UTF8' LOCALE 'C'") == true)
        }
        await queue.close()
    }

    @Test(arguments: ["", "CREATE TABLE ferry.meta (version text)", "CREATE TABLE ferry.boats (name text)"])
    func `another program's schema of the name is refused, and stays as it is`(contents: String) async throws {
        let server = try await PostgresServer.shared()
        let database = try await server.makeDatabase()
        try await server.query("CREATE SCHEMA ferry; \(contents)", in: database)
        let address = try DatabaseAddress(server.address(database))
        let queue = PostgresQueue(address)
        for refusal in [
            await FleetDatabase.failure { _ = try SchemaMigration.initialize(address) },
            await FleetDatabase.failure { _ = try SchemaMigration.migrate(address) },
            await FleetDatabase.failure { _ = try await queue.facts() },
            await FleetDatabase.failure { _ = try await queue.perform(.join(QueueUnderTest.worker("w")), as: nil) },
        ] {
            #expect(refusal?.code == .queueUnsuitable)
            #expect(refusal?.message.contains("of the role postgres, and not a fleet's") == true, "\(refusal as Any)")
        }
        let count = "SELECT count(*) FROM pg_class WHERE relnamespace = 'ferry'::regnamespace AND relkind = 'r'"
        #expect(try await server.query(count, in: database) == (contents.isEmpty ? "0" : "1"))
        await queue.close()
    }

    /// Since PostgreSQL 16, a role with CREATEROLE administers only the roles that it has created.
    @Test func `init needs a database's owner with CREATEROLE, and says what to type if another one made the roles`()
        async throws
    {
        let server = try await PostgresServer(port: 5496)
        let isStrict = (Int(try await server.query("SHOW server_version_num")) ?? 0) >= 160_000
        for owner in ["first", "second"] {
            try await server.query("CREATE ROLE \(owner) LOGIN CREATEROLE")
            try await server.query("CREATE DATABASE \(owner) OWNER \(owner)")
            let address = try DatabaseAddress(server.address(owner, user: owner))
            let refusal = await FleetDatabase.failure { _ = try SchemaMigration.initialize(address) }
            if isStrict, owner == "second" {
                let grant = "GRANT ferry_owner, ferry_worker, ferry_submitter, ferry_reader, ferry_operator TO second"
                #expect(refusal?.message.contains(grant) == true, "\(refusal as Any)")
                try await server.query(grant, user: "first")
                _ = try SchemaMigration.initialize(address)
            } else {
                #expect(refusal == nil)
            }
            let queue = PostgresQueue(address)
            #expect(try await LifeOfJobs.perform(queue).count > 30)
            await queue.close()
        }
        await server.remove()
    }

    @Test func `init by a role that may make no roles says so`() async throws {
        let server = try await PostgresServer(port: 5495)
        try await server.query("CREATE ROLE nobody LOGIN")
        try await server.query("CREATE DATABASE nobody OWNER nobody")
        let address = try DatabaseAddress(server.address("nobody", user: "nobody"))
        let refusal = await FleetDatabase.failure { _ = try SchemaMigration.initialize(address) }
        #expect(refusal?.code == .queueUnsuitable && refusal?.message.contains("with CREATEROLE") == true)
        await server.remove()
    }

    // MARK: Locks

    /// They get along with backups, `CREATE INDEX CONCURRENTLY` and long queries.
    @Test func `ordinary work takes no lock above ROW EXCLUSIVE`() async throws {
        try await FleetDatabase.withQueue { server, database, queue in
            // This mode conflicts with itself and all stronger ones, and not with ROW EXCLUSIVE.
            let holder = try PostgresConnection(try DatabaseAddress(server.address(database)))
            let tables = try await server.query(
                """
                SELECT string_agg(oid::regclass::text, ', ') FROM pg_class
                  WHERE relnamespace = 'ferry'::regnamespace AND relkind IN ('r', 'p')
                """, in: database)
            try holder.run("BEGIN; LOCK TABLE \(tables) IN SHARE UPDATE EXCLUSIVE MODE")
            let lines = try await LifeOfJobs.perform(queue)
            try holder.run("ROLLBACK")
            try await FleetDatabase.withQueue { _, _, other in
                let undisturbed = try await LifeOfJobs.perform(other)
                #expect(undisturbed == lines)
            }
        }
    }

    /// Change data capture, and upgrades by logical replication.
    @Test func `ordinary work goes on while all tables are published`() async throws {
        try await FleetDatabase.withQueue { _, _, undisturbed in
            let expected = try await LifeOfJobs.perform(undisturbed)
            try await FleetDatabase.withQueue { server, database, queue in
                try await server.query("CREATE PUBLICATION everything FOR ALL TABLES", in: database)
                let lines = try await LifeOfJobs.perform(queue)
                #expect(lines == expected)
            }
        }
    }

    // MARK: Upkeep

    @Test func `upkeep forgets no recent end, whatever is missing or typed`() async throws {
        try await FleetDatabase.withQueue { server, database, queue in
            let ids = try await queue.submit([QueueUnderTest.request(1)]).compactMap(\.id)
            _ = try await queue.act(.cancel, on: ids)
            for seconds in [-1, 0, 59, .infinity, .nan, 1e12] {
                let refusal = await FleetDatabase.failure { try await queue.keep(for: seconds) }
                #expect(refusal?.code == .invalidRequest, "\(seconds)")
            }
            try await server.query("DELETE FROM ferry.finishes", in: database)
            let (member, _) = try await FleetDatabase.worker(queue, with: 0)
            #expect(try await queue.perform(.upkeep, as: member) == .done)
            #expect(try await queue.jobs(JobQuery()).map(\.id) == ids)
        }
    }

    // MARK: Poolers

    /// With one connection, which another program gets next.
    @Test(.enabled(if: PostgresPooler.program != nil, "pgbouncer is not installed."))
    func `answers are the same behind a pooler, and nothing is left on the server's connection`() async throws {
        try await FleetDatabase.withQueue { server, _, direct in
            let expected = try await LifeOfJobs.perform(direct)
            let database = try await server.makeDatabase()
            _ = try SchemaMigration.initialize(try DatabaseAddress(server.address(database)))
            let pooler = try await PostgresPooler(server)
            let address = try DatabaseAddress(pooler.address(database))
            let queue = PostgresQueue(address)
            // It would take what is notified from others on this connection.
            await queue.listen {}
            #expect(try await LifeOfJobs.perform(queue) == expected)
            guard case .joined(let member, _) = try await queue.perform(.join(QueueUnderTest.worker("x")), as: nil)
            else { throw TestingError("The worker did not join.") }
            #expect(!member.listens)
            await queue.close()
            let next = try PostgresConnection(address)
            let row = try next.rows(
                """
                SELECT (SELECT string_agg(name, ' ') FROM pg_settings WHERE source = 'session'
                    AND name NOT IN ('application_name', 'client_encoding')), (SELECT count(*) FROM pg_listening_channels())
                """
            ).rows[0]
            #expect(row == [nil, "0"])
            await pooler.remove()
        }
    }

    // MARK: Midnights

    /// Puts a clock that tests move in place of the system's, for the functions of a fleet.
    private static let movableClock = """
        CREATE SCHEMA moved;
        CREATE TABLE moved.clock (by interval NOT NULL);
        INSERT INTO moved.clock VALUES ('0');
        CREATE FUNCTION moved.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS
          'SELECT pg_catalog.clock_timestamp() + (SELECT by FROM moved.clock)';
        GRANT USAGE ON SCHEMA moved TO PUBLIC;
        GRANT SELECT ON moved.clock TO PUBLIC;
        DO $$ DECLARE f regprocedure; BEGIN
          FOR f IN SELECT oid FROM pg_proc WHERE pronamespace = 'ferry'::regnamespace AND prosecdef LOOP
            EXECUTE format('ALTER FUNCTION %s SET search_path = moved, pg_catalog, ferry, pg_temp', f);
          END LOOP;
        END $$
        """

    @Test func `no end is late at midnight while backups read, nor on days without a partition`() async throws {
        let day = 86_400.0
        let firstMidnight = (Date().timeIntervalSince1970 / day).rounded(.up) * day
        try await FleetDatabase.withQueue { server, database, queue in
            try await server.query(Self.movableClock, in: database)
            func set(_ date: Date) async throws {
                try await server.query(
                    "UPDATE moved.clock SET by = interval '\(date.timeIntervalSinceNow) s'", in: database)
            }
            try await set(Date(timeIntervalSince1970: firstMidnight - 30))
            func backup() throws -> PostgresConnection {
                let connection = try PostgresConnection(try DatabaseAddress(server.address(database)))
                try connection.run("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM ferry.ended")
                return connection
            }
            var reading = try backup()
            var days = Set<String>()
            // Three midnights, and days for which no upkeep has made a partition.
            for (turn, midnight) in [0, 1, 2, 12, 13].enumerated() {
                let date = Date(timeIntervalSince1970: firstMidnight + Double(midnight) * day)
                try await set(date - 20)
                _ = try await queue.submit((0..<10).map { QueueUnderTest.request(turn * 10 + $0) })
                let (member, leases) = try await FleetDatabase.worker(queue, with: 10)
                let ends = leases.map { JobEnd(key: $0.key, outcome: .canceled) }
                #expect(try await queue.perform(.finish(Array(ends[..<5])), as: member) == .stale([]))
                try await set(date + 20)
                #expect(try await queue.perform(.upkeep, as: member) == .done)
                #expect(try await queue.perform(.finish(Array(ends[5...])), as: member) == .stale([]))
                #expect(try await queue.jobs(JobQuery()).count == (turn + 1) * 10)
                days.formUnion(
                    try await server.query(
                        "SELECT DISTINCT (ended_at AT TIME ZONE 'UTC')::date FROM ferry.ended", in: database
                    ).split(
                        separator: "\n"
                    ).map(String.init))
                // The next backup begins before this one ends.
                let next = try backup()
                try reading.run("COMMIT")
                reading = next
            }
            #expect(days.count == 7, "\(days)")
            try reading.run("COMMIT")
            // Nothing is in the way any more.
            guard case .joined(let member, _) = try await queue.perform(.join(QueueUnderTest.worker("w")), as: nil)
            else { return }
            #expect(try await queue.perform(.upkeep, as: member) == .done)
            let ahead =
                "SELECT count(*) FROM pg_inherits WHERE inhparent = 'ferry.ended'::regclass AND inhrelid::regclass::text > 'ferry.ended_'||to_char(moved.clock_timestamp() AT TIME ZONE 'UTC', 'YYYYMMDD')"
            #expect(try await server.query(ahead, in: database) == "8")
        }
    }
}
