import FerryCore
import FerryFleet
import FerryTesting
import Testing

@testable import FerryPostgres

/// Triggers, constraints and rules that other software has added to the tables.
@Suite(.enabled(if: PostgresServer.programs != nil, "PostgreSQL's server is not installed."), .timeLimit(.minutes(2)))
struct `Rows that a database refuses` {
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
        try await FleetDatabase.withQueue { server, database, queue in
            try await Self.refuse("details", of: "ended", server, database)
            _ = try await queue.submit((1...50).map { QueueUnderTest.request($0) })
            let (member, leases) = try await FleetDatabase.worker(queue, with: 50)
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
        try await FleetDatabase.withQueue { server, database, queue in
            try await Self.refuse("error", of: "tries", server, database)
            _ = try await queue.submit((1...9).map { QueueUnderTest.request($0) })
            let (member, leases) = try await FleetDatabase.worker(queue, with: 9)
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
        try await FleetDatabase.withQueue { server, database, queue in
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
        try await FleetDatabase.withQueue { server, database, queue in
            try await Self.refuse("path", of: "ended", server, database)
            var requests = (1...20).map { QueueUnderTest.request($0) }
            requests[0].transfer.file.name = "unwelcome"
            _ = try await queue.submit(requests)
            let (member, leases) = try await FleetDatabase.worker(queue, with: 20)
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
        try await FleetDatabase.withQueue { server, database, queue in
            try await Self.refuse("copy", of: "intents", server, database)
            _ = try await queue.submit((1...5).map { QueueUnderTest.request($0) })
            let (member, leases) = try await FleetDatabase.worker(queue, with: 5)
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

    @Test func `what the database refuses about a lease is told, and figures are done without`() async throws {
        try await FleetDatabase.withQueue { server, database, queue in
            _ = try await queue.submit([QueueUnderTest.request(1)])
            let (member, leases) = try await FleetDatabase.worker(queue, with: 1)
            try await server.query(
                """
                CREATE FUNCTION public.judge() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE division_by_zero; END';
                CREATE TRIGGER judge BEFORE UPDATE ON ferry.leases FOR EACH ROW EXECUTE FUNCTION public.judge()
                """, in: database)
            let progress = JobProgress(key: leases[0].key, received: 1, expected: nil)
            #expect(try await queue.perform(.progress([progress]), as: member) == .done)
            guard
                case .except([leases[0].key], let error, .stale([])) = try await queue.perform(
                    .begin([leases[0].key]), as: member)
            else { throw TestingError("Another answer.") }
            #expect(error.message.contains("22012"))
        }
    }

    /// Triggers that return null and rules keep rows out without an error.
    @Test(arguments: ["ended", "leases", "jobs", "requests"])
    func `no job is lost where rows are kept out of a table`(table: String) async throws {
        try await FleetDatabase.withQueue { server, database, queue in
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
            let failure = await FleetDatabase.failure {
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
                _ = await FleetDatabase.failure { _ = try await queue.act(.retry, on: [JobID(1)]) }
                #expect(try await queue.jobs(JobQuery()).map(\.state) == [.canceled])
            }
        }
    }

    @Test func `texts that are no JSON are stored for nobody`() async throws {
        try await FleetDatabase.withQueue { server, database, queue in
            _ = try await queue.submit([QueueUnderTest.request(1)])
            let (_, leases) = try await FleetDatabase.worker(queue, with: 1)
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
        try await FleetDatabase.withQueue { _, _, queue in
            guard case .joined(let member, _) = try await queue.perform(.join(QueueUnderTest.worker("w")), as: nil)
            else { throw TestingError("The worker did not join.") }
            _ = try await queue.perform(.beat(WorkerReport(running: 0, condition: "a\0b")), as: member)
            #expect(try await queue.status().workers.map(\.condition) == ["a\u{FFFD}b"])
        }
    }
}
