import FerryCore
import FerryFleet
import FerryPostgres
import FerryTesting
import Foundation
import Testing

@testable import FerryFleetCommands

@Suite(.timeLimit(.minutes(1))) struct `Metrics of a fleet` {
    @Test(arguments: [
        ("127.0.0.1:9187", "127.0.0.1", 9187), ("9187", "127.0.0.1", 9187), ("[::1]:80", "::1", 80),
        ("0.0.0.0:0", "0.0.0.0", 0),
    ])
    func `are served at an address`(text: String, host: String, port: Int) {
        let address = MetricsAddress(argument: text)
        #expect(address?.host == host && address?.port == port)
    }

    @Test(arguments: ["", ":80", "host:", "host:x", "host:65536", "host:-1", "a\nb:80"])
    func `are not served at what is no address`(text: String) {
        #expect(MetricsAddress(argument: text) == nil)
    }

    @Test func `escape labels, whatever a login or an error is called`() {
        var page = PrometheusText()
        page.add(.gauge, "x", "Help.", label: "name", [("a\"b\\c\nd", 1.5), ("", 2)])
        #expect(page.text == "# HELP x Help.\n# TYPE x gauge\nx{name=\"a\\\"b\\\\c\\nd\"} 1.5\nx{name=\"\"} 2\n")
    }

    /// Every figure has its help and type once, and every line is a comment or a figure.
    @Test(.enabled(if: PostgresServer.programs != nil, "PostgreSQL's server is not installed."))
    func `of a running worker can be read by Prometheus, and tell whether it is ready`() async throws {
        let home = try DaemonFixture()
        do {
            try await FleetBed.with { bed in
                let port = try #require(try await LocalPorts.free(1).first)
                let settings = home.file("fleet.yaml")
                let text = "database: \"\(bed.server.address(bed.database))\"\nlease: 2\npoll: 0.5\n"
                try Data(text.utf8).write(to: URL(filePath: settings))
                let worker = try home.spawnApp(
                    ["run", "--worker", "w", "--settings", settings, "--metrics", "127.0.0.1:\(port)"],
                    environment: ["FERRY_FLEET_SHORT_LEASES": "1"], program: BuiltProgram.fleet.path())
                func get(_ path: String) async throws -> (status: Int, text: String)? {
                    let command = ChildProcess.Command(
                        "/usr/bin/curl", ["-s", "-w", "%{http_code}", "http://127.0.0.1:\(port)\(path)"],
                        environment: [:], folder: "/")
                    let result = try await withTemporaryFolder { folder in
                        try await ChildProcess(command, files: folder.file("io")).result()
                    }
                    guard result.status == 0 else { return nil }
                    return (Int(result.stdout.suffix(3)) ?? 0, String(result.stdout.dropLast(3)))
                }
                try await eventually("the worker is ready") { try await get("/ready")?.status == 200 }
                try await bed.add("a")
                _ = await bed.ferry("cancel", "--all")
                let page = try #require(try await get("/metrics"))
                #expect(page.status == 200)
                for name in [
                    "ferry_fleet_worker_joined 1", "ferry_fleet_worker_claims_jobs{reason=\"\"} 1",
                    "ferry_fleet_worker_slots 64", "# TYPE ferry_fleet_ended_jobs_total counter",
                ] {
                    #expect(page.text.contains(name), "\(name) in \(page.text)")
                }
                let fleet = try #require(try await get("/metrics/fleet"))
                #expect(fleet.status == 200)
                for name in ["ferry_fleet_workers{state=\"up\"} 1", "ferry_fleet_dead_rows{table=\"jobs\"}"] {
                    #expect(fleet.text.contains(name), "\(name) in \(fleet.text)")
                }
                let lines = (page.text + fleet.text).split(separator: "\n")
                let types = lines.filter { $0.hasPrefix("# TYPE ") }
                #expect(Set(types).count == types.count && page.text.hasSuffix("\n"))
                let figure = /[a-z_]+(\{[a-z]+="[^"\n]*"(,[a-z]+="[^"\n]*")*\})? -?[0-9.e+-]+/
                #expect(lines.allSatisfy { $0.hasPrefix("# ") || $0.wholeMatch(of: figure) != nil })
                #expect(try await get("/other")?.status == 404)
                worker.send(SIGTERM)
                #expect(await worker.result().status == 0, "\(worker.stderr)")
            }
        } catch {
            await home.stop()
            throw error
        }
        await home.stop()
    }
}
