import FerryCore
import FerryTesting
import Foundation
import Testing

/// Dead letters, batches, waits and cursors.
@Suite(.enabled(if: PostgresServer.programs != nil, "PostgreSQL's server is not installed."), .timeLimit(.minutes(2)))
struct `Commands that select and await jobs` {
    private static func object(_ line: String) throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }

    @Test func `failed jobs are found by code and host, and retried by them`() async throws {
        try await FleetBed.with { bed in
            let ids = try await bed.add("a", "b", "c")
            try await bed.fail(ids[0], .notFound)
            try await bed.fail(ids[1], .serverBusy)
            let found = await bed.ferry("list", "--code", "not_found", "--host", "EXAMPLE.org")
            #expect(found.lines.count == 1 && found.lines[0].hasPrefix("\(ids[0]) "), "\(found)")
            #expect(await bed.ferry("list", "--state", "failed").lines.count == 2)
            #expect(await bed.ferry("list", "--code", "not_found", "--host", "other.example").talk == "No such jobs.\n")
            let unknown = await bed.ferry("list", "--code", "lost")
            #expect(unknown.status == ErrorExit.usage.rawValue && unknown.talk.contains("docs/errors.md"), "\(unknown)")
            #expect(await bed.ferry("retry", "--code", "server_busy").status == 0)
            #expect(await bed.ferry("list", "--state", "failed").lines.count == 1)
            let info = await bed.ferry("info", ids[1])
            #expect(info.output.contains("waiting"), "\(info)")
        }
    }

    @Test func `a job that has succeeded is not retried`() async throws {
        try await FleetBed.with { bed in
            let ids = try await bed.add("a", "b")
            try await bed.succeed(ids[0])
            let outcome = await bed.ferry("retry", ids[0])
            #expect(outcome.status == ErrorExit.usage.rawValue && outcome.isOneLine, "\(outcome)")
            #expect(outcome.talk.contains("Job \(ids[0]) has succeeded"), "\(outcome)")
            // Of many, those that cannot be retried are not meant.
            #expect(await bed.ferry("retry", "--all").status == 0)
        }
    }

    // MARK: Batches

    @Test(arguments: ["--batch", "--job-key-prefix"])
    func `a list that is added again under its batch adds what is missing`(option: String) async throws {
        try await FleetBed.with { bed in
            let lines = (1...20).map { "https://example.org/\($0)" }
            let half = lines.prefix(5).joined(separator: "\n")
            let whole = (["https://example.org/new"] + lines).joined(separator: "\n")
            func add(_ list: String) async -> FleetBed.Outcome {
                await bed.ferry(
                    "add", "-i", "list", option, "night", "--to", bed.results, files: ["list": list])
            }
            let first = await add(half)
            #expect(first.status == 0 && first.lines.count == 5, "\(first)")
            let second = await add(whole)
            #expect(second.status == 0 && second.lines.count == 21 && Set(second.lines).isSuperset(of: first.lines))
            #expect(await add(whole).lines == second.lines)
            #expect(await bed.ferry("list", "--batch", "night").lines.count == 21)
            #expect(await bed.ferry("list", "--batch", "day").talk == "No such jobs.\n")
        }
    }

    @Test func `the same line twice in a batch is two jobs, also when it is added again`() async throws {
        try await FleetBed.with { bed in
            for _ in 0..<2 {
                let added = await bed.ferry(
                    "add", "https://example.org/a", "https://example.org/a", "--batch", "b", "--to", bed.results)
                #expect(Set(added.lines).count == 2, "\(added)")
            }
            #expect(await bed.ferry("list").lines.count == 2)
        }
    }

    @Test func `wait with a batch ends with the status of its first failure`() async throws {
        try await FleetBed.with { bed in
            let added = await bed.ferry(
                "add", "https://example.org/a", "https://example.org/b", "--batch", "b", "--to", bed.results)
            try await bed.add("other")
            try await bed.succeed(added.lines[0])
            async let waiting = bed.ferry("wait", "--batch", "b")
            try await bed.fail(added.lines[1], .notFound)
            let outcome = await waiting
            #expect(outcome.status == ErrorCode.notFound.row.exitStatus, "\(outcome)")
            #expect(outcome.talk.contains("job \(added.lines[1]) failed"), "\(outcome)")
            let unknown = await bed.ferry("wait", "--batch", "c")
            #expect(unknown.status == ErrorExit.unknownTransfer.rawValue && unknown.isOneLine, "\(unknown)")
        }
    }

    // MARK: Waits

    @Test func `wait without numbers ends with the status of a job that failed meanwhile`() async throws {
        try await FleetBed.with { bed in
            let ids = try await bed.add("a", "b")
            let before = try await bed.server.query("SELECT clock_timestamp()")
            async let waiting = bed.ferry("wait")
            try await eventually("wait has begun") {
                try await bed.server.query(
                    """
                    SELECT count(*) FROM pg_stat_activity WHERE datname = '\(bed.database)' AND state = 'idle'
                      AND application_name = 'ferry-fleet' AND query = 'COMMIT' AND backend_start > '\(before)'
                    """) != "0"
            }
            try await bed.succeed(ids[0])
            try await bed.fail(ids[1], .notFound)
            #expect(await waiting.status == ErrorCode.notFound.row.exitStatus)
        }
    }

    @Test func `wait goes on after its connection was ended`() async throws {
        try await FleetBed.with { bed in
            let ids = try await bed.add("a")
            async let waiting = bed.ferry("wait", ids[0])
            for _ in 0..<3 {
                // Its first call decides whether the database is there at all.
                try await eventually("wait has called") {
                    try await bed.server.query(
                        """
                        SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = '\(bed.database)'
                          AND state = 'idle' AND application_name = 'ferry-fleet' AND query = 'COMMIT'
                        """) != "0"
                }
            }
            try await bed.succeed(ids[0])
            let outcome = await waiting
            #expect(outcome.status == 0, "\(outcome)")
        }
    }

    // MARK: Cursors

    /// A program that reads one line, stops, and goes on from its cursor.
    @Test func `watch one line at a time shows every end`() async throws {
        try await FleetBed.with { bed in
            let ids = try await bed.add("a", "b", "c", "d")
            let start = try await bed.cursor()
            for id in ids { try await bed.succeed(id) }
            var cursor = start
            var seen: [String] = []
            for _ in ids {
                let line = try await bed.firstLine(ofWatchAfter: cursor)
                let end = try Self.object(line)
                cursor = try #require(end["cursor"] as? String)
                let job = try #require(end["job"] as? [String: Any])
                seen.append("\(try #require(job["id"] as? Int))")
            }
            #expect(seen == ids)
        }
    }

    // MARK: Settings

    @Test func `doctor accepts what was accepted, and names workers that claim nothing`() async throws {
        try await FleetBed.with { bed in
            let alone = await bed.ferry("doctor")
            #expect(alone.status == ErrorExit.own.rawValue && alone.output.contains("(no-standby)"), "\(alone)")
            let accepted = await bed.ferry("doctor", "--accept", "no-standby")
            #expect(accepted.status == 0 && accepted.output.contains("Accepted: synchronous_standby_names"))
            try await bed.server.query(
                """
                SELECT ferry.join_fleet('w', 'i', 'host', '1', 600, 4, '{}'); SELECT ferry.beat(1, 1, 0, 'The disk fails.')
                """, in: bed.database)
            let idle = await bed.ferry("doctor", "--accept", "no-standby")
            #expect(idle.status == ErrorExit.own.rawValue && idle.output.contains("w claims no jobs: The disk fails."))
            #expect(await bed.ferry("status").output.contains("! w claims no jobs: The disk fails."))
            #expect(await bed.ferry("doctor", "--accept", "all").status == ErrorExit.usage.rawValue)
        }
    }

    @Test func `settings keep says what is forgotten`() async throws {
        try await FleetBed.with { bed in
            let usual = await bed.ferry("settings")
            #expect(usual.status == 0 && usual.output.contains("30 d") && usual.output.contains("keys"), "\(usual)")
            #expect(await bed.ferry("settings", "keep", "12h").output.contains("12 h"))
            #expect(await bed.ferry("settings", "--json").output == "{\"keep\":43200}\n")
            for (words, reason) in [
                (["keep", "1s"], "1h to 3660d"), (["keep", "long"], "not a duration"), (["lease"], "no setting"),
            ] {
                let outcome = await FleetBed.ferry(
                    ["settings"] + words + ["--database", bed.server.address(bed.database)])
                #expect(outcome.status == ErrorExit.usage.rawValue && outcome.talk.contains(reason), "\(outcome)")
            }
        }
    }
}
