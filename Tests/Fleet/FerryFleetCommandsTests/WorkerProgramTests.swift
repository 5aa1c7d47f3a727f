import FerryCore
import FerryTesting
import Foundation
import Glibc
import Testing

/// The real programs: a worker with its daemon.
@Suite(.enabled(if: PostgresServer.programs != nil, "PostgreSQL's server is not installed."), .timeLimit(.minutes(3)))
struct `A worker of a fleet` {
    private static let body = SeededBody(seed: 4, size: 300_000)

    /// Starts a worker with short leases in the fixture's home.
    ///
    /// - Parameter lines: More settings.
    private static func start(
        _ name: String, _ bed: FleetBed, _ home: DaemonFixture, lines: String = ""
    ) throws -> ChildProcess {
        let settings = home.file("fleet.yaml")
        let text = "database: \"\(bed.server.address(bed.database))\"\nlease: 2\npoll: 0.5\n\(lines)"
        try Data(text.utf8).write(to: URL(filePath: settings))
        return try home.spawnApp(
            ["run", "--worker", name, "--settings", settings], environment: ["FERRY_FLEET_SHORT_LEASES": "1"],
            program: BuiltProgram.fleet.path())
    }

    /// Calls a closure with a fleet and the homes of two machines.
    private static func withMachines(
        _ body: (FleetBed, DaemonFixture, DaemonFixture) async throws -> Void
    ) async throws {
        let (home, other) = (try DaemonFixture(), try DaemonFixture())
        do {
            try await FleetBed.with { try await body($0, home, other) }
        } catch {
            await home.stop()
            await other.stop()
            throw error
        }
        await home.stop()
        await other.stop()
    }

    @Test func `delivers files, and leaves when it is asked to end`() async throws {
        try await withOrigin(OriginScript(Self.body)) { origin in
            try await Self.withMachines { bed, home, _ in
                let worker = try Self.start("w", bed, home)
                let url = origin.url("/sub/file.bin")
                let added = await bed.ferry("add", url, url, "--to", bed.results + "/{path}")
                #expect(added.status == 0, "\(added)")
                let waited = await bed.ferry("wait")
                #expect(waited.status == 0, "\(waited)")
                for name in ["file.bin", "file-1.bin"] {
                    #expect(try FileDigest.sha256(bed.results + "/sub/" + name) == Self.body.sha256Hex)
                }
                let info = await bed.ferry("info", added.lines[0])
                #expect(info.output.contains(Self.body.sha256Hex) && info.output.contains("Worker"), "\(info)")
                try await eventually("the local transfers are gone") {
                    try await home.run(["list", "--all"]).stdout.isEmpty
                }
                worker.send(SIGTERM)
                #expect(await worker.result().status == 0, "\(worker.stderr)")
                let status = await bed.ferry("status")
                #expect(status.output.contains("gone"), "\(status)")
                #expect(try FileManager.default.contentsOfDirectory(atPath: bed.results + "/sub").count == 2)
            }
        }
    }

    @Test func `waits for a database that is not ready, and a closed terminal does not end it`() async throws {
        let home = try DaemonFixture()
        do {
            try await FleetBed.with(isInitialized: false) { bed in
                let worker = try Self.start("w", bed, home)
                try await eventually("it says what it waits for") { worker.stderr.contains("Run `ferry fleet init`") }
                worker.send(SIGHUP)
                #expect(await bed.ferry("init").status == 0)
                try await eventually("the worker has joined") { await bed.ferry("status").output.contains(" up ") }
                worker.send(SIGTERM)
                #expect(await worker.result().status == 0, "\(worker.stderr)")
            }
        } catch {
            await home.stop()
            throw error
        }
        await home.stop()
    }

    @Test func `ends when it is asked to while its database is away`() async throws {
        let home = try DaemonFixture()
        let settings = home.file("fleet.yaml")
        try Data("database: host=/nonexistent\n".utf8).write(to: URL(filePath: settings))
        let worker = try home.spawnApp(
            ["run", "--worker", "w", "--settings", settings], environment: [:], program: BuiltProgram.fleet.path())
        try await eventually("it says what it waits for") { worker.stderr.contains("cannot be reached") }
        worker.send(SIGTERM)
        #expect(await worker.result().status == 0, "\(worker.stderr)")
        await home.stop()
    }

    /// Two containers of an image in which a home was baked.
    @Test func `tells a copy of its state folder whose name it is`() async throws {
        try await Self.withMachines { bed, home, other in
            let first = try Self.start("w", bed, home)
            try await eventually("the worker has joined") { await bed.ferry("status").output.contains(" up ") }
            let id = try #require(
                FileManager.default.enumerator(atPath: home.home)?.compactMap { $0 as? String }
                    .first { $0.hasSuffix("fleet-w.id") })
            let folder = (other.home + "/" + id as NSString).deletingLastPathComponent
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try FileManager.default.copyItem(atPath: home.home + "/" + id, toPath: other.home + "/" + id)
            let copy = await (try Self.start("w", bed, other)).result()
            #expect(copy.status == ErrorExit.own.rawValue && copy.stderr.contains("worker_in_use"), "\(copy)")
            #expect(copy.stderr.contains(ProcessInfo.processInfo.hostName) && copy.stderr.contains("fleet-*.id"))
            first.send(SIGTERM)
            #expect(await first.result().status == 0)
            #expect(!first.stderr.contains("given up"), "\(first.stderr)")
        }
    }

    /// Its daemon lives, and another worker may have the job by then.
    @Test func `that is killed fetches no longer from limited servers, and goes on when it is back`() async throws {
        let script = OriginScript(Self.body, .on(.request(1), .hold("h", at: .body(100_000))))
        try await withOrigin(script) { limited in
            try await withOrigin(script) { free in
                try await Self.withMachines { bed, home, _ in
                    let set = await bed.ferry("origin", "set", limited.url("/"), "--at-once", "1")
                    #expect(set.status == 0, "\(set)")
                    let killed = try Self.start("w", bed, home)
                    let added = await bed.ferry(
                        "add", limited.url("/limited.bin"), free.url("/free.bin"), "--to", bed.results)
                    #expect(added.status == 0, "\(added)")
                    await limited.waitForRequests(1)
                    await free.waitForRequests(1)
                    killed.send(SIGKILL)
                    _ = await killed.result()
                    try await eventually("the limited transfer has stopped") {
                        try await home.run(["list", "--all", "--json"]).stdout.contains("\"reason\":\"lease\"")
                    }
                    let running = try await home.run(["list", "--state", "running", "--json"]).stdout
                    #expect(running.contains("/free.bin") && !running.contains("/limited.bin"), "\(running)")
                    let worker = try Self.start("w", bed, home)
                    free.release("h")
                    let waited = await bed.ferry("wait")
                    #expect(waited.status == 0, "\(waited)")
                    #expect(limited.requests.map { $0.value("Range") } == [nil, "bytes=100000-"])
                    #expect(free.requests.count == 1)
                    worker.send(SIGTERM)
                    #expect(await worker.result().status == 0, "\(worker.stderr)")
                }
            }
        }
    }

    /// The system keeps the connection of a stopped process alive.
    @Test func `says that its database does not answer, and ends when it is asked to`() async throws {
        try await Self.withMachines { bed, home, _ in
            let worker = try Self.start("w", bed, home)
            try await eventually("the worker has joined") { await bed.ferry("status").output.contains(" up ") }
            var found = ""
            try await eventually("the worker's connection is the only one") {
                found = try await bed.server.query(
                    """
                    SELECT string_agg(pid::text, ' ') FROM pg_stat_activity WHERE datname = '\(bed.database)'
                      AND application_name = 'ferry-fleet'
                    """)
                return pid_t(found) != nil
            }
            let process = try #require(pid_t(found))
            kill(process, SIGSTOP)
            defer { kill(process, SIGCONT) }
            try await eventually("it says so") { worker.stderr.contains("has not answered for 2 seconds") }
            worker.send(SIGTERM)
            #expect(await worker.result().status == 0, "\(worker.stderr)")
        }
    }

    @Test func `fetches nothing from addresses that its settings leave out`() async throws {
        try await withOrigin(OriginScript(Self.body)) { origin in
            try await Self.withMachines { bed, home, _ in
                let worker = try Self.start("w", bed, home, lines: "address_scope: global\n")
                let urls = [origin.url("/a"), origin.url("/b", host: "localhost")]
                let added = await bed.ferry("add", urls[0], urls[1], "--to", bed.results)
                #expect(added.status == 0, "\(added)")
                let waited = await bed.ferry("wait")
                #expect(waited.status == 3, "\(waited)")
                for id in added.lines {
                    let info = await bed.ferry("info", id)
                    #expect(info.output.contains("its address_scope is global"), "\(info)")
                }
                #expect(origin.requests.isEmpty)
                worker.send(SIGTERM)
                #expect(await worker.result().status == 0, "\(worker.stderr)")
            }
        }
    }

    @Test func `is refused a name that is in use`() async throws {
        try await Self.withMachines { bed, home, other in
            let worker = try Self.start("w", bed, home)
            try await eventually("the worker has joined") { await bed.ferry("status").output.contains(" up ") }
            let second = await (try Self.start("w", bed, home)).result()
            #expect(second.status == ErrorExit.own.rawValue && second.stderr.contains("--worker"), "\(second)")
            let copy = await (try Self.start("w", bed, other)).result()
            #expect(copy.status == ErrorExit.own.rawValue && copy.stderr.contains("worker_in_use"), "\(copy)")
            worker.send(SIGTERM)
            #expect(await worker.result().status == 0, "\(worker.stderr)")
        }
    }
}
