import FerryCore
import FerryFleet
import FerryTesting
import Testing

@testable import FerryPostgres

/// Properties of the queue in PostgreSQL alone.
@Suite(.enabled(if: PostgresServer.programs != nil, "PostgreSQL's server is not installed."), .timeLimit(.minutes(3)))
struct `The queue in PostgreSQL` {
    private static func withDatabase(_ body: (PostgresServer, String) async throws -> Void) async throws {
        let server = try await PostgresServer.shared()
        try await body(server, server.makeDatabase())
    }

    private static func code(_ body: () async throws -> Void) async -> (code: ErrorCode, message: String)? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? ServiceError).map { ($0.code, $0.message) }
        }
    }

    @Test func `a server that is not there, and a database without the schema, are told in a sentence with what to do`()
        async throws
    {
        try await Self.withDatabase { server, database in
            let nobody = PostgresQueue(try DatabaseAddress("host=/nonexistent dbname=x"))
            let away = await Self.code { _ = try await nobody.stores() }
            #expect(away?.code == .queueUnreachable && away?.message.contains("fleet.yaml") == true)
            let empty = PostgresQueue(try DatabaseAddress(server.address(database)))
            let missing = await Self.code { _ = try await empty.stores() }
            #expect(missing?.code == .queueUnsuitable && missing?.message.contains("ferry fleet init") == true)
            await nobody.close()
            await empty.close()
        }
    }

    @Test func `a schema of a newer release that this one cannot use is refused`() async throws {
        try await Self.withDatabase { server, database in
            let address = try DatabaseAddress(server.address(database))
            #expect(try SchemaMigration.initialize(address).before == nil)
            #expect(try SchemaMigration.initialize(address).before == 2, "again, nothing happens")
            try await server.query("UPDATE ferry.meta SET version = 9, compatible = 9", in: database)
            let queue = PostgresQueue(address)
            let refusal = await Self.code { _ = try await queue.stores() }
            #expect(refusal?.code == .queueUnsuitable && refusal?.message.contains("Upgrade ferry-fleet") == true)
            await queue.close()
        }
    }

    @Test func `roles call the functions that they need, and read no table`() async throws {
        try await Self.withDatabase { server, database in
            let address = try DatabaseAddress(server.address(database))
            _ = try SchemaMigration.initialize(address)
            let name = database
            try await server.query(
                """
                CREATE ROLE \(name)_worker LOGIN IN ROLE ferry_worker; CREATE ROLE \(name)_submitter LOGIN IN ROLE ferry_submitter;
                CREATE ROLE \(name)_other LOGIN
                """, in: database)
            let setup = PostgresQueue(address)
            try await setup.setStore(Store(name: "results", folder: QueueUnderTest.folder, mark: "m"))
            await setup.close()
            func queue(_ role: String) throws -> PostgresQueue {
                PostgresQueue(try DatabaseAddress(server.address(database, user: "\(name)_\(role)")))
            }
            let (worker, submitter, other) = (try queue("worker"), try queue("submitter"), try queue("other"))
            let results = try await submitter.submit([QueueUnderTest.request(1)])
            #expect(results[0].id != nil)
            let joined = try await worker.perform(.join(QueueUnderTest.worker("w")), as: nil)
            guard case .joined(let member, _) = joined else { return }
            guard case .claimed(let leases, _) = try await worker.perform(.claim(1), as: member) else { return }
            #expect(leases.count == 1)
            let joins = await Self.code { _ = try await submitter.perform(.join(QueueUnderTest.worker("x")), as: nil) }
            #expect(joins?.code == .queueUnsuitable && joins?.message.contains("GRANT ferry_worker") == true)
            #expect(await Self.code { _ = try await other.stores() }?.code == .queueUnsuitable)
            for table in ["jobs", "requests", "leases", "workers", "ended"] {
                await #expect(throws: (any Error).self) {
                    try await server.query("SELECT * FROM ferry.\(table)", in: database, user: "\(name)_worker")
                }
            }
            for each in [worker, submitter, other] { await each.close() }
        }
    }

    @Test func `an address with a password or without a verified server is refused`() throws {
        #expect(throws: ServiceError.self) { try DatabaseAddress("host=db.example password=x") }
        #expect(throws: ServiceError.self) { try DatabaseAddress("host=db.example sslmode=require") }
        #expect(throws: ServiceError.self) { try DatabaseAddress("no such thing=") }
        _ = try DatabaseAddress("host=db.example sslmode=require", allowsInsecure: true)
        _ = try DatabaseAddress("host=127.0.0.1 sslmode=disable")
        _ = try DatabaseAddress("service=ferry")
    }

    /// Behind a pooler, other programs use the server's connection next.
    @Test func `nothing of the session is changed, and every function gives up waiting for a lock`() async throws {
        try await Self.withDatabase { server, database in
            let address = try DatabaseAddress(server.address(database))
            _ = try SchemaMigration.initialize(address)
            let connection = try PostgresConnection(address)
            try connection.run("SET array_nulls = off; SET synchronous_commit = off")
            let set = "SELECT current_setting('array_nulls') || current_setting('synchronous_commit')"
            #expect(try connection.transaction(set).single == "onlocal")
            #expect(try connection.rows(set).single == "offoff")
            try connection.run("RESET ALL; SET synchronous_commit = remote_apply")
            #expect(try connection.transaction(set).single == "onremote_apply")
            try connection.run("RESET ALL")
            let settings =
                "SELECT string_agg(name, ' ') FROM pg_settings WHERE source = 'session' AND name <> 'application_name'"
            #expect(try connection.transaction(settings).single?.contains("search_path") == true)
            #expect(throws: PostgresFailure.self) { try connection.transaction("SELECT 1/0") }
            #expect(try connection.rows(settings).rows == [[nil]])
            let endless = try await server.query(
                """
                SELECT string_agg(proname, ' ') FROM pg_proc WHERE pronamespace = 'ferry'::regnamespace AND prosecdef
                  AND coalesce(array_to_string(proconfig, ' '), '') !~ 'lock_timeout'
                """, in: database)
            #expect(endless == "")
        }
    }

    @Test func `a connection that the server ends is opened again`() async throws {
        try await Self.withDatabase { server, database in
            let address = try DatabaseAddress(server.address(database))
            _ = try SchemaMigration.initialize(address)
            let queue = PostgresQueue(address)
            #expect(try await queue.stores() == [])
            try await server.query(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(database)' AND pid <> pg_backend_pid()"
            )
            let lost = await Self.code { _ = try await queue.stores() }
            #expect(lost == nil || lost?.code == .queueUnreachable)
            #expect(try await queue.stores() == [])
            await queue.close()
        }
    }

    @Test func `a submission notifies idle workers`() async throws {
        try await Self.withDatabase { server, database in
            let address = try DatabaseAddress(server.address(database))
            _ = try SchemaMigration.initialize(address)
            let (queue, other) = (PostgresQueue(address), PostgresQueue(address))
            try await other.setStore(Store(name: "results", folder: QueueUnderTest.folder, mark: "m"))
            let (hints, continuation) = AsyncStream<Void>.makeStream()
            await queue.listen { continuation.yield() }
            guard case .joined(let member, _) = try await queue.perform(.join(QueueUnderTest.worker("w")), as: nil)
            else { return }
            _ = try await other.submit([QueueUnderTest.request(1)])
            var iterator = hints.makeAsyncIterator()
            await iterator.next()
            guard case .claimed(let leases, _) = try await queue.perform(.claim(1), as: member) else { return }
            _ = try await queue.perform(.finish(leases.map { JobEnd(key: $0.key, outcome: .canceled) }), as: member)
            await queue.close()
            await other.close()
        }
    }

    /// It comes with the answer, so the socket has nothing more to read.
    @Test(.timeLimit(.minutes(1))) func `a submission notifies workers that are waiting for an answer`() async throws {
        try await Self.withDatabase { server, database in
            let address = try DatabaseAddress(server.address(database))
            _ = try SchemaMigration.initialize(address)
            let (queue, other) = (PostgresQueue(address), PostgresQueue(address))
            try await other.setStore(Store(name: "results", folder: QueueUnderTest.folder, mark: "m"))
            let (hints, continuation) = AsyncStream<Void>.makeStream()
            await queue.listen { continuation.yield() }
            let holder = try PostgresConnection(address)
            try holder.rows("SELECT pg_advisory_lock(7)")
            async let answer = queue.read("SELECT pg_advisory_lock(7)::text")
            try await eventually("the call waits") {
                try await server.query(
                    "SELECT count(*) FROM pg_stat_activity WHERE datname = '\(database)' AND wait_event_type = 'Lock'")
                    == "1"
            }
            _ = try await other.submit([QueueUnderTest.request(1)])
            try holder.rows("SELECT pg_advisory_unlock(7)")
            _ = try await answer
            var iterator = hints.makeAsyncIterator()
            await iterator.next()
            await queue.close()
            await other.close()
        }
    }

    /// A fleet whose upkeep could not add partitions: a backup held the lock.
    @Test func `ends of a day without a partition may come from many workers at once`() async throws {
        try await Self.withDatabase { server, database in
            let address = try DatabaseAddress(server.address(database))
            _ = try SchemaMigration.initialize(address)
            let queues = (0..<8).map { _ in PostgresQueue(address) }
            try await queues[0].setStore(Store(name: "results", folder: QueueUnderTest.folder, mark: "m"))
            var held: [(PostgresQueue, Membership, [Lease])] = []
            for (number, queue) in queues.enumerated() {
                _ = try await queue.submit([QueueUnderTest.request(number)])
                let worker = QueueUnderTest.worker("w\(number)")
                guard case .joined(let member, _) = try await queue.perform(.join(worker), as: nil),
                    case .claimed(let leases, _) = try await queue.perform(.claim(1), as: member)
                else { continue }
                held.append((queue, member, leases))
            }
            try await server.query(
                """
                DO $$ DECLARE day regclass; BEGIN
                  FOR day IN SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'ferry.ended'::regclass
                      AND inhrelid <> 'ferry.ended_rest'::regclass LOOP
                    EXECUTE format('DROP TABLE %s', day);
                  END LOOP;
                END $$
                """, in: database)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (queue, member, leases) in held {
                    let ends = leases.map { JobEnd(key: $0.key, outcome: .canceled) }
                    group.addTask {
                        let answer = try await queue.perform(.finish(ends), as: member)
                        #expect(answer == .stale([]))
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await server.query("SELECT count(*) FROM ferry.ended", in: database) == "8")
            for queue in queues { await queue.close() }
        }
    }

    /// In an SQL function the limit is unknown to the planner, which then sorted all waiting rows: 1,176 ms a claim.
    @Test func `a claim reads no more of a long line than it takes`() async throws {
        try await Self.withDatabase { server, database in
            let address = try DatabaseAddress(server.address(database))
            _ = try SchemaMigration.initialize(address)
            let queue = PostgresQueue(address)
            try await queue.setStore(Store(name: "results", folder: QueueUnderTest.folder, mark: "m"))
            _ = try await queue.submit([QueueUnderTest.request(1)])
            try await server.query(
                """
                INSERT INTO ferry.jobs (id, line) SELECT nextval('ferry.job_ids'), 1 FROM generate_series(1, 30000);
                INSERT INTO ferry.requests (id, tenant, path, url, request, submitted_at)
                  SELECT id, 1, '/x', 'https://x', '{}', now() FROM ferry.jobs ON CONFLICT DO NOTHING;
                ANALYZE ferry.jobs; ANALYZE ferry.requests; SELECT pg_stat_force_next_flush()
                """, in: database)
            guard case .joined(let member, _) = try await queue.perform(.join(QueueUnderTest.worker("w")), as: nil)
            else { return }
            let reads = "SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE indexrelname = 'jobs_waiting'"
            // Twelve claims: the plan may change after the fifth.
            for _ in 0..<12 { _ = try await queue.perform(.claim(10), as: member) }
            await queue.close()
            try await eventually("the statistics of the closed connection arrive") {
                try await server.query(
                    "SELECT count(*) FROM pg_stat_activity WHERE datname = '\(database)'", in: database) == "1"
            }
            let count = try #require(Int(try await server.query(reads, in: database)))
            #expect(count < 5000, "\(count) index entries were read for 120 jobs of 30,000")
        }
    }
}
