import FerryCore
import FerryTesting
import Foundation
import Testing

/// Each mistake gets one line that says what to do, its exit status, and changes nothing.
@Suite(.enabled(if: PostgresServer.programs != nil, "PostgreSQL's server is not installed."), .timeLimit(.minutes(2)))
struct `Mistakes with a fleet` {
    @Test func `no database is known`() async {
        let outcome = await FleetBed.ferry(["list"])
        #expect(outcome.status == ErrorExit.usage.rawValue && outcome.isOneLine)
        #expect(outcome.talk.contains("Set `database` in fleet.yaml"), "\(outcome)")
    }

    @Test func `the database is not there`() async {
        let outcome = await FleetBed.ferry(["list", "--database", "host=/nonexistent"])
        #expect(outcome.status == ErrorExit.daemon.rawValue && outcome.isOneLine)
        #expect(
            outcome.talk.contains("that PostgreSQL runs") && outcome.talk.contains("queue_unreachable"), "\(outcome)")
    }

    @Test func `the database has no schema`() async throws {
        try await FleetBed.with(isInitialized: false) { bed in
            for words in [["status"], ["wait"], ["doctor"]] {
                let outcome = await FleetBed.ferry(words + ["--database", bed.server.address(bed.database)])
                #expect(outcome.status == ErrorExit.daemon.rawValue && outcome.isOneLine, "\(outcome)")
                #expect(outcome.talk.contains("Run `ferry fleet init`"), "\(outcome)")
            }
        }
    }

    @Test func `the schema is of a newer release`() async throws {
        try await FleetBed.with { bed in
            try await bed.server.query("UPDATE ferry.meta SET version = 7, compatible = 7", in: bed.database)
            for words in [["list"], ["migrate"], ["init"]] {
                let outcome = await FleetBed.ferry(words + ["--database", bed.server.address(bed.database)])
                #expect(outcome.status == ErrorExit.daemon.rawValue && outcome.isOneLine, "\(outcome)")
                #expect(outcome.talk.contains("Upgrade ferry-fleet"), "\(outcome)")
            }
        }
    }

    @Test func `the role may not do this`() async throws {
        try await FleetBed.with { bed in
            let name = bed.database
            try await bed.server.query(
                "CREATE ROLE \(name)_s LOGIN IN ROLE ferry_submitter; CREATE ROLE \(name)_n LOGIN")
            let allowed = await bed.ferry("list", user: "\(name)_s")
            #expect(allowed.status == 0)
            let stranger = await bed.ferry("list", user: "\(name)_n")
            #expect(stranger.status == ErrorExit.daemon.rawValue && stranger.isOneLine)
            #expect(stranger.talk.contains("GRANT ferry_worker TO role"), "\(stranger)")
            let owner = await bed.ferry("init", user: "\(name)_s")
            #expect(owner.status == ErrorExit.daemon.rawValue && owner.isOneLine, "\(owner)")
        }
    }

    @Test func `a destination leaves its store`() async throws {
        try await FleetBed.with { bed in
            for folder in ["/elsewhere", bed.results + "/../elsewhere", bed.results + "x"] {
                let outcome = await bed.ferry("add", "https://example.org/a", "--to", folder)
                #expect(outcome.status != 0 && outcome.isOneLine && outcome.output.isEmpty, "\(outcome)")
                #expect(outcome.talk.contains("ferry fleet store list") || outcome.talk.contains(".."), "\(outcome)")
            }
            // A URL's parts are names, whatever they contain.
            let escaping = await bed.ferry(
                "add", "https://example.org/..%2F..%2Fetc/passwd", "--to", bed.results + "/{path}")
            #expect(escaping.status == 0)
            let listed = await bed.ferry("list")
            #expect(listed.output.contains(bed.results + "/") && !listed.output.contains("/../"), "\(listed)")
        }
    }

    @Test func `two unfinished jobs have one destination`() async throws {
        try await FleetBed.with { bed in
            let first = try await bed.add("a")[0]
            let outcome = await bed.ferry(
                "add", "https://example.org/a", "https://example.org/b", "--to", bed.results, "--on-conflict", "fail")
            #expect(outcome.status == ErrorExit.destination.rawValue && outcome.isOneLine, "\(outcome)")
            #expect(outcome.talk.contains("Job \(first) already delivers to"), "\(outcome)")
            #expect(outcome.lines.count == 1, "the other job was added")
        }
    }

    @Test func `a key is used twice`() async throws {
        try await FleetBed.with { bed in
            var numbers: Set<String> = []
            for _ in 0..<3 {
                let outcome = await bed.ferry("add", "https://example.org/a", "--to", bed.results, "--job-key", "mine")
                #expect(outcome.status == 0)
                numbers.formUnion(outcome.lines)
            }
            #expect(numbers.count == 1)
            let listed = await bed.ferry("list", "--json")
            #expect(listed.lines.filter { $0.contains("\"id\"") }.count == 1, "\(listed)")
        }
    }

    @Test(arguments: [
        (["https://example.org/a", "--to", "results"], "relative folder"),
        (["https://example.org/a", "--to", "/r", "-o", "x"], "--to and --name"),
        (
            ["https://example.org/a", "https://example.org/b", "--to", "/r", "--job-key", "k"],
            "--job-key identifies one job"
        ),
        (["https://u:p@example.org/a", "--to", "/r"], "stores no secrets"),
        (["https://example.org/a", "--to", "/r", "-H", "Authorization: Bearer x"], "stores no secrets"),
        (["https://example.org/a", "--to", "/r", "--proxy", "http://p:1"], "belong to one machine"),
        (["ftp://example.org/a", "--to", "/r"], "ftp"),
        (["https://example.org/a"], "--to"),
    ])
    func `a request means something on one machine only, or nothing`(words: [String], reason: String) async throws {
        try await FleetBed.with { bed in
            let outcome = await FleetBed.ferry(["add"] + words + ["--database", bed.server.address(bed.database)])
            #expect(outcome.status == ErrorExit.usage.rawValue, "\(outcome)")
            #expect(outcome.talk.contains(reason) && outcome.output.isEmpty, "\(outcome)")
            let listed = await bed.ferry("list", "--all", "--json")
            #expect(listed.lines == ["[]"])
        }
    }

    @Test(arguments: [
        (["info", "9"], ErrorExit.unknownTransfer, "9"), (["cancel", "9"], .unknownTransfer, "9"),
        (["info", "x"], .usage, "not the number of a job"), (["list", "--state", "lost"], .usage, "is not one of"),
        (["cancel"], .usage, "--batch or --all"), (["cancel", "1", "--all"], .usage, "but not both"),
        (["watch", "--after", "yesterday"], .usage, "is no cursor"), (["drain"], .usage, "--all"),
        (["drain", "nobody"], .unknownTransfer, "ferry fleet status"),
        (["lst"], .usage, "did you mean ferry fleet list"),
        (["list", "--jso"], .usage, "did you mean --json"), (["status", "more"], .usage, "unexpected argument"),
        (["https://example.org/a"], .usage, "ferry fleet add"),
        (["origin", "set", "https://example.org", "--at-once", "20000"], .usage, "0 to 10000"),
        (["store", "set", "s", "folder"], .usage, "relative path"),
        (["run", "--worker", "a/b"], .usage, "worker's name"),
    ])
    func `a command line says what is wrong`(words: [String], exit: ErrorExit, reason: String) async throws {
        try await FleetBed.with { bed in
            let outcome = await FleetBed.ferry(words + ["--database", bed.server.address(bed.database)])
            #expect(outcome.status == exit.rawValue, "\(outcome)")
            #expect(outcome.talk.contains(reason) && outcome.output.isEmpty, "\(outcome)")
        }
    }

    @Test func `a store's folder cannot be written`() async throws {
        try await FleetBed.with { bed in
            let outcome = await bed.ferry("store", "set", "s", "/proc/nothing")
            #expect(outcome.status == ErrorExit.destination.rawValue && outcome.isOneLine, "\(outcome)")
            let listed = await bed.ferry("store", "list")
            #expect(listed.lines == ["results  \(bed.results)"], "\(listed)")
        }
    }
}
