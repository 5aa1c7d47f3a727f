import FerryCore
import FerryFleet
import FerryTesting
import Foundation
import Synchronization
import Testing

@testable import FerryPostgres

/// Encodings, triggers, schemas and standbys that a fleet finds in a database.
@Suite(.enabled(if: PostgresServer.programs != nil, "PostgreSQL's server is not installed."), .timeLimit(.minutes(2)))
struct `A database of somebody else` {
    private static func failure(_ body: () async throws -> Void) async -> ServiceError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? ServiceError
        }
    }

    private static func withQueue(
        on server: PostgresServer? = nil, _ body: (PostgresServer, String, PostgresQueue) async throws -> Void
    ) async throws {
        let shared = try await PostgresServer.shared()
        let server = server ?? shared
        let database = try await server.makeDatabase()
        let address = try DatabaseAddress(server.address(database))
        _ = try SchemaMigration.initialize(address)
        let queue = PostgresQueue(address)
        do {
            try await queue.setStore(Store(name: "results", folder: QueueUnderTest.folder, mark: "m"))
            try await body(server, database, queue)
        } catch {
            await queue.close()
            throw error
        }
        await queue.close()
    }

    /// A worker with this number of jobs, after as many claims as that takes.
    private static func worker(
        _ queue: PostgresQueue, with count: Int
    ) async throws -> (member: Membership, leases: [Lease]) {
        guard case .joined(let member, _) = try await queue.perform(.join(QueueUnderTest.worker("w")), as: nil)
        else { throw TestingError("The worker did not join.") }
        var leases: [Lease] = []
        while leases.count < count {
            guard case .claimed(let more, _) = try await queue.perform(.claim(count - leases.count), as: member),
                !more.isEmpty
            else { throw TestingError("The worker has \(leases.count) jobs.") }
            leases += more
        }
        return (member, leases)
    }

    // MARK: What cannot work

    @Test(arguments: ["LATIN1", "SQL_ASCII"])
    func `an encoding other than UTF8 is refused with its name`(encoding: String) async throws {
        let server = try await PostgresServer.shared()
        let name = "encoded_\(encoding.lowercased())"
        try await server.query(
            "CREATE DATABASE \(name) ENCODING '\(encoding)' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'")
        let address = try DatabaseAddress(server.address(name))
        let queue = PostgresQueue(address)
        for refusal in [
            await Self.failure { _ = try SchemaMigration.initialize(address) },
            await Self.failure { _ = try await queue.facts() },
            await Self.failure { _ = try await queue.perform(.join(QueueUnderTest.worker("w")), as: nil) },
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
            await Self.failure { _ = try SchemaMigration.initialize(address) },
            await Self.failure { _ = try SchemaMigration.migrate(address) },
            await Self.failure { _ = try await queue.facts() },
            await Self.failure { _ = try await queue.perform(.join(QueueUnderTest.worker("w")), as: nil) },
        ] {
            #expect(refusal?.code == .queueUnsuitable)
            #expect(refusal?.message.contains("of the role postgres, and not a fleet's") == true, "\(refusal as Any)")
        }
        let count = "SELECT count(*) FROM pg_class WHERE relnamespace = 'ferry'::regnamespace AND relkind = 'r'"
        #expect(try await server.query(count, in: database) == (contents.isEmpty ? "0" : "1"))
        await queue.close()
    }

    /// From PostgreSQL 16 on, whoever makes a role may grant it to itself, and nobody else's.
    @Test func `init needs a database's owner with CREATEROLE, and says what to type if another one made the roles`()
        async throws
    {
        let server = try await PostgresServer(port: 5496)
        let isStrict = (Int(try await server.query("SHOW server_version_num")) ?? 0) >= 160_000
        for owner in ["first", "second"] {
            try await server.query("CREATE ROLE \(owner) LOGIN CREATEROLE")
            try await server.query("CREATE DATABASE \(owner) OWNER \(owner)")
            let address = try DatabaseAddress(server.address(owner, user: owner))
            let refusal = await Self.failure { _ = try SchemaMigration.initialize(address) }
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
        let refusal = await Self.failure { _ = try SchemaMigration.initialize(address) }
        #expect(refusal?.code == .queueUnsuitable && refusal?.message.contains("with CREATEROLE") == true)
        await server.remove()
    }

    // MARK: What it refuses

    /// Refuses rows of a table whose column contains “unwelcome”.
    private static func refuse(_ column: String, of table: String, _ server: PostgresServer, _ database: String)
        async throws
    {
        try await server.query(
            """
            CREATE FUNCTION public.judge() RETURNS trigger LANGUAGE plpgsql AS
              $$ BEGIN IF NEW.\(column) LIKE '%unwelcome%' THEN RAISE 'Not with us'; END IF; RETURN NEW; END $$;
            CREATE TRIGGER judge BEFORE INSERT ON ferry.\(table) FOR EACH ROW EXECUTE FUNCTION public.judge()
            """, in: database)
    }

    @Test func `an end that the database refuses holds up no other, and ends without its text`() async throws {
        try await Self.withQueue { server, database, queue in
            try await Self.refuse("details", of: "ended", server, database)
            _ = try await queue.submit((1...50).map { QueueUnderTest.request($0) })
            let (member, leases) = try await Self.worker(queue, with: 50)
            let ends = leases.enumerated().map { number, lease in
                let message = number % 20 == 7 ? "unwelcome" : "It is — not there."
                return JobEnd(key: lease.key, outcome: .failed(ServiceError(.notFound, message)))
            }
            #expect(try await queue.perform(.finish(ends), as: member) == .stale([]))
            let jobs = try await queue.jobs(JobQuery())
            #expect(jobs.count == 50 && jobs.allSatisfy { $0.state == .failed && $0.error?.code == .notFound })
            #expect(jobs.count { $0.error?.message == "The database refused the text of the error (P0001)." } == 3)
        }
    }

    @Test func `a return that the database refuses holds up no other, and comes back without its text`() async throws {
        try await Self.withQueue { server, database, queue in
            try await Self.refuse("error", of: "tries", server, database)
            _ = try await queue.submit((1...9).map { QueueUnderTest.request($0) })
            let (member, leases) = try await Self.worker(queue, with: 9)
            let returns = leases.enumerated().map { number, lease in
                JobReturn(
                    key: lease.key, reason: .store, delay: 60,
                    error: ServiceError(.destinationUnwritable, number == 4 ? "unwelcome" : "Full."))
            }
            #expect(try await queue.perform(.giveBack(returns), as: member) == .stale([]))
            #expect(try await queue.jobs(JobQuery()).count { $0.state == .waiting } == 9)
        }
    }

    @Test func `a job that the database refuses is refused alone`() async throws {
        try await Self.withQueue { server, database, queue in
            try await Self.refuse("url", of: "requests", server, database)
            var requests = (1...40).map { QueueUnderTest.request($0) }
            requests[12].transfer.url = "https://example.org/unwelcome"
            let results = try await queue.submit(requests)
            #expect(results.count { $0.id != nil } == 39)
            #expect(results[12].error?.message == "The fleet's database refuses this job: Not with us.")
        }
    }

    @Test func `an end that the database refuses in every form is told to the worker, and the others end`() async throws
    {
        try await Self.withQueue { server, database, queue in
            try await Self.refuse("path", of: "ended", server, database)
            var requests = (1...20).map { QueueUnderTest.request($0) }
            requests[0].transfer.file.name = "unwelcome"
            _ = try await queue.submit(requests)
            let (member, leases) = try await Self.worker(queue, with: 20)
            let ends = leases.map { JobEnd(key: $0.key, outcome: .canceled) }
            let unwelcome = try #require(leases.first { $0.path.hasSuffix("unwelcome") }).key
            guard case .except([unwelcome], let error, .stale([])) = try await queue.perform(.finish(ends), as: member)
            else { throw TestingError("Another answer.") }
            #expect(error.code == .queueUnsuitable && error.message.contains("Not with us"))
            #expect(try await queue.jobs(JobQuery()).map(\.state).count { $0 == .canceled } == 19)
            #expect(try await queue.job(unwelcome.job).state == .running)
        }
    }

    @Test func `an intent that the database refuses holds up no other`() async throws {
        try await Self.withQueue { server, database, queue in
            try await Self.refuse("copy", of: "intents", server, database)
            _ = try await queue.submit((1...5).map { QueueUnderTest.request($0) })
            let (member, leases) = try await Self.worker(queue, with: 5)
            let intents = leases.enumerated().map { number, lease in
                let copy = number == 2 ? "unwelcome" : "copy"
                return JobIntent(
                    key: lease.key, intent: Intent(path: lease.path, copy: copy, inode: 1, size: 1, sha256: "00"))
            }
            guard
                case .except(let refused, _, .intended(let known, [])) = try await queue.perform(
                    .intend(intents), as: member)
            else { throw TestingError("Another answer.") }
            #expect(refused == [leases[2].key] && known.count == 4)
        }
    }

    /// Triggers that return null and rules keep rows out without an error.
    @Test(arguments: ["ended", "leases", "jobs", "requests"])
    func `no job is lost where rows are kept out of a table`(table: String) async throws {
        try await Self.withQueue { server, database, queue in
            _ = try await queue.submit([QueueUnderTest.request(1)])
            try await server.query(
                """
                CREATE FUNCTION public.drop() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
                CREATE TRIGGER drop BEFORE INSERT ON ferry.\(table) FOR EACH ROW EXECUTE FUNCTION public.drop()
                """, in: database)
            guard case .joined(let member, _) = try await queue.perform(.join(QueueUnderTest.worker("w")), as: nil)
            else { throw TestingError("The worker did not join.") }
            let added = try await queue.submit([QueueUnderTest.request(2)])
            #expect((added[0].id == nil) == (table == "jobs" || table == "requests"), "\(added)")
            let failure = await Self.failure {
                guard case .claimed(let leases, _) = try await queue.perform(.claim(4), as: member) else { return }
                let ends = leases.map { JobEnd(key: $0.key, outcome: .canceled) }
                if case .except(_, let error, _) = try await queue.perform(.finish(ends), as: member) { throw error }
            }
            #expect((failure != nil) == (table == "ended" || table == "leases"))
            let states = try await queue.jobs(JobQuery()).map(\.state)
            switch table {
            case "ended": #expect(states == [.running, .running])
            case "leases": #expect(states == [.waiting, .waiting])
            default: #expect(states == [.canceled])
            }
            if table == "jobs" || table == "requests" {
                _ = await Self.failure { _ = try await queue.act(.retry, on: [JobID(1)]) }
                #expect(try await queue.jobs(JobQuery()).map(\.state) == [.canceled])
            }
        }
    }

    @Test func `texts that are no JSON are stored for nobody`() async throws {
        try await Self.withQueue { server, database, queue in
            _ = try await queue.submit([QueueUnderTest.request(1)])
            let (_, leases) = try await Self.worker(queue, with: 1)
            let key = leases[0].key
            let lease = "ARRAY[\(key.job)]::bigint[], ARRAY['\(key.token)']::uuid[], ARRAY[\(key.fence)]"
            for text in ["{not json", #"{"message":"\u0000"}"#] {
                for call in [
                    "finish(1, 1, \(lease), ARRAY[2]::smallint[], ARRAY['\(text)'])",
                    "give_back(1, 1, \(lease), ARRAY['local'], ARRAY[0], ARRAY['\(text)'], ARRAY[0])",
                ] {
                    await #expect(throws: TestingError.self, "\(call)") {
                        try await server.query("SELECT ferry.\(call)", in: database)
                    }
                }
            }
            #expect(try await queue.jobs(JobQuery()).map(\.state) == [.running])
        }
    }

    @Test func `a null character in a text stops no heartbeat`() async throws {
        try await Self.withQueue { _, _, queue in
            guard case .joined(let member, _) = try await queue.perform(.join(QueueUnderTest.worker("w")), as: nil)
            else { throw TestingError("The worker did not join.") }
            _ = try await queue.perform(.beat(WorkerReport(running: 0, condition: "a\0b")), as: member)
            #expect(try await queue.status().workers.map(\.condition) == ["a\u{FFFD}b"])
        }
    }

    // MARK: Locks

    /// They get along with backups, `CREATE INDEX CONCURRENTLY` and long queries.
    @Test func `ordinary work takes no lock above ROW EXCLUSIVE`() async throws {
        try await Self.withQueue { server, database, queue in
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
            try await Self.withQueue { _, _, other in
                let undisturbed = try await LifeOfJobs.perform(other)
                #expect(undisturbed == lines)
            }
        }
    }

    // MARK: Upkeep

    @Test func `upkeep forgets no recent end, whatever is missing or typed`() async throws {
        try await Self.withQueue { server, database, queue in
            let ids = try await queue.submit([QueueUnderTest.request(1)]).compactMap(\.id)
            _ = try await queue.act(.cancel, on: ids)
            for seconds in [-1, 0, 59, .infinity, .nan, 1e12] {
                let refusal = await Self.failure { try await queue.keep(for: seconds) }
                #expect(refusal?.code == .invalidRequest, "\(seconds)")
            }
            try await server.query("DELETE FROM ferry.finishes", in: database)
            let (member, _) = try await Self.worker(queue, with: 0)
            #expect(try await queue.perform(.upkeep, as: member) == .done)
            #expect(try await queue.jobs(JobQuery()).map(\.id) == ids)
        }
    }

    // MARK: Waits

    @Test func `a missing standby is named while a submission waits for it`() async throws {
        let server = try await PostgresServer(port: 5498)
        try await Self.withQueue(on: server) { server, database, queue in
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
        try await Self.withQueue { server, database, queue in
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
        try await Self.withQueue(on: server) { server, database, queue in
            #expect(try await queue.facts().oldestTransaction == nil)
            try await server.query("BEGIN; SELECT 1; PREPARE TRANSACTION 'lost''s'", in: database)
            let prepared = try #require(try await queue.facts().oldestTransaction)
            #expect(prepared.name == "the prepared transaction 'lost''s' of postgres" && prepared.age < 600)
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

    // MARK: Poolers

    /// With one connection, which another program gets next.
    @Test(.enabled(if: PostgresPooler.program != nil, "pgbouncer is not installed."))
    func `answers are the same behind a pooler, and nothing is left on the server's connection`() async throws {
        try await Self.withQueue { server, _, direct in
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
        try await Self.withQueue { server, database, queue in
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
                let (member, leases) = try await Self.worker(queue, with: 10)
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
