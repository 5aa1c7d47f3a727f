import FerryCore
import FerryFleet
import FerryTesting
import Testing

@testable import FerryPostgres

/// Roles, migrations and what outsiders do to the database.
@Suite(.enabled(if: PostgresServer.programs != nil, "PostgreSQL's server is not installed."), .timeLimit(.minutes(3)))
struct `The schema of a fleet` {
    private static func code(_ body: () async throws -> Void) async -> ErrorCode? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? ServiceError)?.code
        }
    }

    // MARK: Roles

    private static let logins = ["worker", "submitter", "reader", "operator"]

    private static func withLogins(
        _ body: (PostgresServer, String, [String: PostgresQueue]) async throws -> Void
    ) async throws {
        try await FleetDatabase.withQueue { server, database, _ in
            var queues: [String: PostgresQueue] = [:]
            for (login, role) in logins.map({ ($0, $0) }) + [("other", "submitter")] {
                let name = "\(database)_\(login)"
                try await server.query("CREATE ROLE \(name) LOGIN IN ROLE ferry_\(role)")
                queues[login] = PostgresQueue(try DatabaseAddress(server.address(database, user: name)))
            }
            do {
                try await body(server, database, queues)
            } catch {
                for queue in queues.values { await queue.close() }
                throw error
            }
            for queue in queues.values { await queue.close() }
        }
    }

    /// Calls of a fleet, and the roles that may make them.
    private static let calls:
        [(name: String, roles: Set<String>, call: @Sendable (PostgresQueue) async throws -> Void)] =
            [
                ("join", ["worker"], { _ = try await $0.perform(.join(QueueUnderTest.worker("w")), as: nil) }),
                ("add", ["submitter", "operator"], { _ = try await $0.submit([QueueUnderTest.request(9)]) }),
                ("list", ["submitter", "reader", "operator"], { _ = try await $0.jobs(JobQuery()) }),
                ("watch", ["submitter", "reader", "operator"], { _ = try await $0.ends(after: nil, limit: 1) }),
                ("cancel", ["submitter", "operator"], { _ = try await $0.act(.cancel, on: [JobID(1)]) }),
                ("status", ["worker", "submitter", "reader", "operator"], { _ = try await $0.status() }),
                ("store list", ["worker", "submitter", "reader", "operator"], { _ = try await $0.stores() }),
                ("settings", ["submitter", "reader", "operator"], { _ = try await $0.keptFor() }),
                ("drain", ["operator"], { _ = try await $0.drain(nil, patience: 1) }),
                ("store set", ["operator"], { try await $0.setStore(Store(name: "s", folder: "/s", mark: "m")) }),
                ("origin set", ["operator"], { try await $0.setOrigin(origin, atOnce: 1) }),
                ("origin hold", ["worker", "operator"], { try await $0.hold(origin, seconds: 1) }),
                ("origin release", ["operator"], { try await $0.release(origin) }),
                ("settings keep", ["operator"], { try await $0.keep(for: 86_400) }),
            ]

    private static let origin = Origin(scheme: "https", host: "example.org", port: 443)

    @Test func `each role makes its own calls, and no other`() async throws {
        try await Self.withLogins { _, _, queues in
            for (name, roles, call) in Self.calls {
                for role in Self.logins {
                    let queue = try #require(queues[role])
                    let refusal = await Self.code { try await call(queue) }
                    #expect((refusal != .queueUnsuitable) == roles.contains(role), "\(name) as \(role)")
                }
            }
        }
    }

    @Test func `a submitter sees and changes its own jobs alone, a reader sees all, an operator changes all`()
        async throws
    {
        try await Self.withLogins { _, _, queues in
            let (own, other) = (try #require(queues["submitter"]), try #require(queues["other"]))
            let (reader, manager) = (try #require(queues["reader"]), try #require(queues["operator"]))
            let mine = try #require(try await own.submit([QueueUnderTest.request(1, key: "k")])[0].id)
            let theirs = try #require(try await other.submit([QueueUnderTest.request(2, key: "k")])[0].id)
            #expect(mine != theirs, "a key belongs to its login")
            #expect(try await own.jobs(JobQuery()).map(\.id) == [mine])
            #expect(await Self.code { _ = try await own.job(theirs) } == .unknownTransfer)
            for action in JobAction.allCases {
                #expect(try await own.act(action, on: [theirs]).map { $0.error?.code } == [.unknownTransfer])
            }
            #expect(try await own.status().tenants.map(\.waiting) == [1])
            #expect(try await reader.jobs(JobQuery()).map(\.id) == [mine, theirs])
            #expect(try await reader.status().tenants.map(\.waiting) == [1, 1])
            let start = try await own.ends(after: nil, limit: 1).next
            #expect(try await manager.act(.cancel, on: [mine, theirs]).map(\.state) == [.canceled, .canceled])
            #expect(try await own.ends(after: start, limit: 10).ends.map(\.job.id) == [mine])
            #expect(try await reader.ends(after: start, limit: 10).ends.count == 2)
            #expect(await Self.code { _ = try await own.job(theirs) } == .unknownTransfer)
        }
    }

    @Test func `a worker's login acts for its own workers alone`() async throws {
        try await Self.withLogins { server, database, queues in
            let own = try #require(queues["worker"])
            let name = "\(database)_thief"
            try await server.query("CREATE ROLE \(name) LOGIN IN ROLE ferry_worker")
            let thief = PostgresQueue(try DatabaseAddress(server.address(database, user: name)))
            let submitted = try #require(queues["submitter"])
            _ = try await submitted.submit((1...2).map { QueueUnderTest.request($0) })
            guard case .joined(let member, _) = try await own.perform(.join(QueueUnderTest.worker("w")), as: nil),
                case .claimed(let leases, _) = try await own.perform(.claim(1), as: member), let lease = leases.first
            else { return }
            let calls: [WorkerCall] = [
                .beat(WorkerReport()), .rescue, .claim(1), .leave, .begin([lease.key]), .landed([lease.key]),
                .finish([JobEnd(key: lease.key, outcome: .canceled)]),
                .giveBack([JobReturn(key: lease.key, reason: .retry)]),
                .progress([JobProgress(key: lease.key, received: 1, expected: nil)]),
                .reclaim([JobReference(job: lease.key.job, token: lease.key.token)]),
                .intend([
                    JobIntent(
                        key: lease.key, intent: Intent(path: "/a", copy: "b", inode: 1, size: 1, sha256: "00"))
                ]),
            ]
            for call in calls {
                #expect(
                    await Self.code { _ = try await thief.perform(call, as: member) } == .queueUnsuitable, "\(call)")
            }
            #expect(
                await Self.code { _ = try await thief.perform(.join(QueueUnderTest.worker("w")), as: nil) }
                    == .workerInUse)
            let ends = leases.map { JobEnd(key: $0.key, outcome: .canceled) }
            #expect(try await own.perform(.finish(ends), as: member) == .stale([]))
            await thief.close()
        }
    }

    @Test func `a submitter learns nothing of another login's destination`() async throws {
        try await Self.withLogins { _, _, queues in
            let (own, other) = (try #require(queues["submitter"]), try #require(queues["other"]))
            let first = try #require(try await own.submit([QueueUnderTest.request(1)])[0].id)
            let mine = try await own.submit([QueueUnderTest.request(1)])[0].error?.message
            #expect(mine?.hasPrefix("Job \(first) already") == true)
            let theirs = try await other.submit([QueueUnderTest.request(1)])[0].error?.message
            #expect(theirs?.hasPrefix("A job of another login already") == true)
        }
    }

    // MARK: Submissions by SQL

    private static func submission(
        path: String = "\(QueueUnderTest.folder)/a", origin: String = "'https://example.org:443'",
        request: String = "'{}'", key: String = "NULL", count: Int = 1
    ) -> String {
        func array(_ type: String, _ value: String) -> String { "array_fill(\(value)::\(type), ARRAY[\(count)])" }
        return """
            SELECT outcome FROM ferry.submit(\(array("text", origin)), \(array("text", "''")), \(array("smallint", "0")),
              \(array("text", key)), \(array("text", "NULL")), \(array("text", "'\(path)'")), \(array("boolean", "false")),
              \(array("text", "'https://example.org/a'")), \(array("text", request)), \(array("timestamptz", "NULL")),
              \(array("boolean", "false")))
            """
    }

    @Test(arguments: [
        submission(count: 10_001), submission(request: "repeat('x', 65537)"), submission(key: "repeat('k', 256)"),
        submission(path: QueueUnderTest.folder + "/" + String(repeating: "p", count: 4100)),
        submission(origin: "repeat('o', 500)"), submission(origin: "NULL"), submission(request: "NULL"),
        submission().replacing("array_fill(false::boolean, ARRAY[1])", with: "array_fill(false, ARRAY[2])"),
    ])
    func `limits hold for those who call the functions themselves`(statement: String) async throws {
        try await FleetDatabase.withQueue { server, database, _ in
            await #expect(throws: (any Error).self) { try await server.query(statement, in: database) }
            let count = try await server.query("SELECT count(*) FROM ferry.jobs", in: database)
            #expect(count == "0")
        }
    }

    @Test(arguments: [
        "/srv/results/../outside/a", "/srv/results/./a", "/srv/results/..", "/srv/results", "/srv/resultsx/a",
        "srv/results/a",
        "", "/srv/results/a/../../../etc/passwd",
    ])
    func `a path is below a store by whole components`(path: String) async throws {
        try await FleetDatabase.withQueue { server, database, _ in
            let outside = try await server.query(Self.submission(path: path), in: database)
            let inside = try await server.query(Self.submission(path: "/srv/results/..a/b"), in: database)
            #expect(outside == "3" && inside == "0")
        }
    }

    // MARK: Tries

    /// A job whose store is away for a month is tried thousands of times.
    @Test func `a job keeps its last hundred tries`() async throws {
        try await FleetDatabase.withQueue { server, database, queue in
            _ = try await queue.submit([QueueUnderTest.request(1)])
            let counts = try await server.query(
                """
                SET search_path = ferry;
                DO $$
                DECLARE w record; l record;
                BEGIN
                  SELECT * INTO w FROM join_fleet('w', 'i', 'm', '1', 600, 4, '{}');
                  FOR i IN 1..130 LOOP
                    SELECT * INTO l FROM claim(w.worker, w.epoch, 1);
                    PERFORM give_back(w.worker, w.epoch, ARRAY[l.id], ARRAY[l.token], ARRAY[l.fence], ARRAY['store'], ARRAY[0::float8],
                      ARRAY[NULL::text], ARRAY[0]);
                  END LOOP;
                END $$;
                SELECT count(*) || ' ' || min(fence) || ' ' || max(fence) FROM tries;
                """, in: database)
            #expect(counts == "100 31 130")
        }
    }

    // MARK: Keys

    /// The insertion waits for the end that moves the job, and does not see where it went.
    @Test func `a key is the same job while its job ends`() async throws {
        try await FleetDatabase.withQueue { server, database, queue in
            let address = try DatabaseAddress(server.address(database))
            let id = try #require(try await queue.submit([QueueUnderTest.request(1, key: "k")])[0].id)
            let ending = try PostgresConnection(address)
            try ending.run(
                "BEGIN; SET LOCAL search_path = ferry; SELECT retire(ARRAY[\(id)], ARRAY[3::smallint], ARRAY[NULL::text], NULL)"
            )
            async let submitted = queue.submit([QueueUnderTest.request(2, key: "k")])
            try await eventually("the submission waits") {
                try await server.query(
                    "SELECT count(*) FROM pg_stat_activity WHERE datname = '\(database)' AND wait_event_type = 'Lock'",
                    in: database) == "1"
            }
            try ending.run("COMMIT")
            #expect(try await submitted.map(\.result) == [.existing(id)])
            #expect(try await server.query("SELECT count(*) FROM ferry.requests", in: database) == "0")
        }
    }

    // MARK: Cursors

    @Test func `a transaction that ends its jobs late is told after those that were told before`() async throws {
        try await FleetDatabase.withQueue { server, database, queue in
            let ids = try await queue.submit((1...2).map { QueueUnderTest.request($0) }).compactMap(\.id)
            let start = try await queue.ends(after: nil, limit: 10).next
            let late = try PostgresConnection(DatabaseAddress(server.address(database)))
            try late.run(
                "BEGIN; SET LOCAL search_path = ferry; SELECT retire(ARRAY[\(ids[0])], ARRAY[3::smallint], ARRAY[NULL::text], NULL)"
            )
            _ = try await queue.act(.cancel, on: [ids[1]])
            let first = try await queue.ends(after: start, limit: 10)
            #expect(first.ends.map(\.job.id) == [ids[1]], "an open transaction silences nobody")
            try late.run("COMMIT")
            #expect(try await queue.ends(after: first.next, limit: 10).ends.map(\.job.id) == [ids[0]])
        }
    }

    @Test func `a cursor of another database returns all ends`() async throws {
        try await FleetDatabase.withQueue { _, _, queue in
            let ids = try await queue.submit((1...3).map { QueueUnderTest.request($0) }).compactMap(\.id)
            _ = try await queue.act(.cancel, on: ids)
            let end = try await queue.ends(after: "0123456789abcdef.99999.7", limit: 2)
            #expect(end.ends.map(\.job.id) == Array(ids.prefix(2)))
            #expect(try await queue.ends(after: end.next, limit: 2).ends.map(\.job.id) == [ids[2]])
            for wrong in ["", "1.0", "a.b.c", "0.-1.0", "x.1.1", "0.1.99999999999999999999"] {
                #expect(await Self.code { _ = try await queue.ends(after: wrong, limit: 1) } == .invalidRequest)
            }
        }
    }

    // MARK: Upkeep

    @Test func `a reader of ended jobs holds up no end and no upkeep`() async throws {
        try await FleetDatabase.withQueue { server, database, queue in
            try await server.query("DROP TABLE ferry.ended_\(try await Self.day(server))", in: database)
            let backup = try PostgresConnection(DatabaseAddress(server.address(database)))
            try backup.run("BEGIN; SELECT count(*) FROM ferry.ended")
            let id = try #require(try await queue.submit([QueueUnderTest.request(1)])[0].id)
            guard case .joined(let member, _) = try await queue.perform(.join(QueueUnderTest.worker("w")), as: nil),
                case .claimed(let leases, _) = try await queue.perform(.claim(1), as: member)
            else { return }
            #expect(try await queue.perform(.upkeep, as: member) == .done)
            let ends = leases.map { JobEnd(key: $0.key, outcome: .canceled) }
            #expect(try await queue.perform(.finish(ends), as: member) == .stale([]))
            #expect(try await queue.job(id).state == .canceled)
            try backup.run("COMMIT")
            #expect(try await queue.perform(.upkeep, as: member) == .done)
            #expect(try await queue.job(id).state == .canceled)
        }
    }

    private static func day(_ server: PostgresServer) async throws -> String {
        try await server.query("SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYYMMDD')")
    }

    @Test func `upkeep forgets what is older than it is kept, and lines and origins that nothing needs`() async throws {
        try await FleetDatabase.withQueue { server, database, queue in
            let old = try #require(
                try await queue.submit([QueueUnderTest.request(1, host: "old.example", key: "k")])[0].id)
            let new = try #require(try await queue.submit([QueueUnderTest.request(2, host: "new.example")])[0].id)
            _ = try await queue.submit([QueueUnderTest.request(3, host: "busy.example")])
            try await queue.setOrigin(Self.origin, atOnce: 3)
            _ = try await queue.act(.cancel, on: [old, new])
            try await server.query(
                """
                UPDATE ferry.ended SET ended_at = ended_at - interval '8 days' WHERE id = \(old);
                UPDATE ferry.finishes SET at = at - interval '8 days'
                  WHERE finish = (SELECT finish FROM ferry.ended WHERE id = \(old));
                UPDATE ferry.lines SET is_open = false WHERE line IN (SELECT line FROM ferry.lines EXCEPT SELECT line FROM ferry.jobs)
                """, in: database)
            try await queue.keep(for: 7 * 86_400)
            guard case .joined(let member, _) = try await queue.perform(.join(QueueUnderTest.worker("w")), as: nil)
            else { return }
            #expect(try await queue.perform(.upkeep, as: member) == .done)
            #expect(await Self.code { _ = try await queue.job(old) } == .unknownTransfer)
            #expect(try await queue.job(new).state == .canceled)
            let origins = try await server.query(
                "SELECT string_agg(name, ' ' ORDER BY name) FROM ferry.origins", in: database)
            #expect(origins == "https://busy.example:443 https://example.org:443")
            #expect(try await server.query("SELECT count(*) FROM ferry.lines", in: database) == "1")
            // Its line is made again.
            #expect(try await queue.act(.retry, on: [new]).map(\.state) == [.waiting])
            let again = try await queue.submit([QueueUnderTest.request(1, host: "old.example", key: "k")])
            #expect(again[0].id != nil && again[0].id != old, "its key was forgotten too")
        }
    }

    // MARK: Migration

    @Test func `version 1 becomes version 2 with its jobs, its ends and its limits`() async throws {
        // Roles belong to all databases of a server.
        let server = try await PostgresServer()
        do {
            try await Self.checkMigration(server)
        } catch {
            await server.remove()
            throw error
        }
        await server.remove()
    }

    private static func checkMigration(_ server: PostgresServer) async throws {
        let database = try await server.makeDatabase()
        let address = try DatabaseAddress(server.address(database))
        let connection = try PostgresConnection(address)
        try connection.run(
            """
            CREATE ROLE ferry_owner NOLOGIN; CREATE ROLE ferry_worker NOLOGIN; CREATE ROLE ferry_submitter NOLOGIN;
            CREATE SCHEMA ferry AUTHORIZATION ferry_owner;
            GRANT USAGE ON SCHEMA ferry TO ferry_worker, ferry_submitter
            """)
        try connection.run(
            """
            BEGIN; SET LOCAL ROLE ferry_owner; SET LOCAL search_path = ferry, pg_temp;
            \(Schema.step(1) ?? "")
            CREATE FUNCTION schema_version() RETURNS TABLE (version int, compatible int) LANGUAGE sql AS $$
              SELECT m.version, m.compatible FROM ferry.meta m $$;
            INSERT INTO origins (name, at_once) VALUES ('https://example.org:443', 4);
            INSERT INTO lines (tenant, origin, needs) VALUES (1, 1, 'gpu');
            INSERT INTO stores VALUES ('results', '\(QueueUnderTest.folder)', 'm');
            INSERT INTO jobs (id, line, state, ready_at, reason) VALUES (1, 1, 2, now() + interval '1 day', 'begin_date'), (2, 1, 0, NULL, NULL);
            INSERT INTO requests (id, tenant, path, url, request, submitted_at)
              SELECT n, 1, '\(QueueUnderTest.folder)/' || n, 'https://example.org/', '{}', now() FROM generate_series(1, 2) AS n;
            DO $$ DECLARE day timestamptz := date_trunc('day', now(), 'UTC'); BEGIN
              EXECUTE format('CREATE TABLE %I PARTITION OF ended FOR VALUES FROM (%L) TO (%L)',
                'ended_' || to_char(day AT TIME ZONE 'UTC', 'YYYYMMDD'), day, day + interval '1 day');
            END $$;
            INSERT INTO ended (id, token, tenant, line, path, url, priority, fence, tries, rescues, outcome, details, worker,
                request, submitted_at, ended_at, xact)
              SELECT n, gen_random_uuid(), 1, 1, '/p', 'https://example.org/', 0, 1, 1, 0, 2,
                '{"code":"not_found","message":"no \\u0000\\u0000 file"}', 'w', '{}', now(), now(), ((n / 2) || '')::xid8
              FROM generate_series(10, 13) AS n;
            SELECT setval('job_ids', 20);
            COMMIT
            """)
        #expect(try SchemaMigration.migrate(address) == SchemaMigration.Report(before: 1, after: 2))
        let queue = PostgresQueue(address)
        let waiting = try await queue.jobs(JobQuery())
        #expect(waiting.map(\.id.rawValue) == [1, 2, 10, 11, 12, 13])
        #expect(waiting.first?.reason == .beginDate && waiting.first?.labels.needs == "gpu")
        var query = JobQuery()
        query.code = .notFound
        query.host = "example.org"
        #expect(try await queue.jobs(query).map(\.error?.message) == Array(repeating: "no  file", count: 4))
        let ends = try await queue.ends(after: "0.0.0", limit: 10).ends
        #expect(ends.map(\.job.id.rawValue) == [10, 11, 12, 13])
        #expect(try await queue.act(.retry, on: [JobID(12)]).map(\.state) == [.waiting])
        await queue.close()
    }
}
