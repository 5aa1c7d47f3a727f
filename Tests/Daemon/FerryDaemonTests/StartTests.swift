import FerryTesting
import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(1)))
struct `Starting and stopping the daemon` {
    @Test func `clients that start it at once share one`() async throws {
        try await withDaemon(OriginScript(SeededBody(seed: 41, size: 100_000))) { ferry, origin in
            let clients = try (1...6).map { try ferry.spawn(["get", origin.url("/\($0).bin")]) }
            for client in clients {
                let result = await client.result()
                #expect(result.status == 0, "\(result)")
            }
            // A daemon that another one forestalled tells its client before it exits.
            try await eventually("one daemon is left") { ferry.daemons.count == 1 }
            #expect(ferry.contents == (1...6).map { "\($0).bin" })
            #expect(try await ferry.list().count == 6)
        }
    }

    @Test func `a second ferryd says that one runs already and leaves it alone`() async throws {
        try await withDaemon { ferry in
            try await ferry.startDaemon()
            let first = ferry.daemons
            let second = await (try ferry.spawnDaemon()).result()
            #expect(second.status == 75)
            #expect(second.stderr == "ferryd: ferryd is already running as process \(first.first ?? 0).\n")
            #expect(ferry.daemons == first)
            #expect(try await ferry.run(["daemon", "status"]).status == 0)
        }
    }

    @Test func `start, status and stop say what they found`() async throws {
        struct Status: Decodable {
            var pid: Int32?
            var version: String?
            var transfers: [String: Int]
        }
        try await withDaemon { ferry in
            let none = try await ferry.run(["daemon", "status", "--json"])
            #expect(none.status == 14)
            #expect(try none.json(Status.self).pid == nil)
            #expect(none.stderr == "No daemon runs.\n")
            #expect(try await ferry.run(["daemon", "stop"]) == CommandResult.said("No daemon runs."))

            #expect(try await ferry.run(["daemon", "start"]) == CommandResult.said("The daemon has started."))
            #expect(try await ferry.run(["daemon", "start"]) == CommandResult.said("The daemon is already running."))
            let status = try await ferry.run(["daemon", "status", "--json"])
            #expect(try status.json(Status.self).pid == ferry.daemons.first)
            #expect(status.stderr.isEmpty)
            let page = try await ferry.run(["daemon", "status"])
            #expect(page.stdout.contains("transfers: none\n"), "\(page)")

            #expect(try await ferry.run(["daemon", "stop"]) == CommandResult.said("The daemon has stopped."))
            #expect(ferry.daemons.isEmpty)
            #expect(try FileManager.default.contentsOfDirectory(atPath: ferry.home + "/run").isEmpty)
        }
    }

    @Test func `a client that cannot start it says where it looked and exits with 14`() async throws {
        try await withDaemon { ferry in
            let result = try await ferry.run(["list"], environment: ["FERRYD": "/nonexistent/ferryd"])
            #expect(result.status == 14)
            #expect(result.stdout.isEmpty)
            #expect(
                result.stderr == "ferry: The daemon cannot be started: FERRYD is /nonexistent/ferryd, which is not an "
                    + "executable program. (daemon_unreachable)\n")
        }
    }

    @Test func `a FERRY_HOME that is too long for a socket is refused by client and daemon`() async throws {
        try await withDaemon { ferry in
            let home = "/tmp/" + String(repeating: "h", count: 120)
            let client = try await ferry.run(["list"], environment: ["FERRY_HOME": home])
            #expect(client.status == 64)
            #expect(client.stderr.contains("the system allows 107; set FERRY_HOME to a folder with a shorter path"))
            let daemon = await (try ferry.spawnDaemon(environment: ["FERRY_HOME": home])).result()
            #expect(daemon.status == 64)
            #expect(daemon.stderr.contains("the system allows 107"))
            #expect(!FileManager.default.fileExists(atPath: home))
        }
    }

    @Test func `a daemon that dies at its start is reported with the end of its log`() async throws {
        try await withDaemon { ferry in
            let result = try await ferry.run(["list"], environment: ["FERRY_KILL_AT": "nonsense"])
            #expect(result.status == 64)
            #expect(result.stderr.contains("FERRY_KILL_AT is “nonsense”"), "\(result)")
        }
    }

    /// Failing to create an event loop would otherwise trap.
    @Test(arguments: [16, 24, 28, 40, 60])
    func `a daemon that may open too few files says so and exits with 14`(limit: Int) async throws {
        try await withDaemon { ferry in
            let daemon = try ferry.spawnApp(
                ["-c", "ulimit -n \(limit); exec \"$FERRYD\""], program: "/bin/sh")
            let result = await daemon.result()
            #expect(result.status == 14, "\(result)")
            #expect(result.stderr.hasPrefix("ferryd: ferryd cannot start: it may open \(limit) files and needs "))
            #expect(result.stderr.split(separator: "\n").count == 1)
        }
    }
}

extension CommandResult {
    /// Returns the result of a successful command with only this line on standard error.
    static func said(_ line: String) -> CommandResult { CommandResult(status: 0, stdout: "", stderr: line + "\n") }
}
