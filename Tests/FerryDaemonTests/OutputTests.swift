import FerryTesting
import Foundation
import Glibc
import Testing

@Suite(.serialized, .timeLimit(.minutes(2)))
struct `ferry get -o -` {
    private static let body = SeededBody(seed: 52, size: 2 << 20)
    private static let half: Int64 = 1 << 20

    /// Runs the command with its standard output redirected to a file or piped through other commands.
    ///
    /// - Parameter isAlone: Whether the command takes the place of its shell, so that signals reach it.
    private func pipe(
        _ command: String, _ ferry: DaemonFixture, _ url: String, isAlone: Bool = false
    ) throws -> ChildProcess {
        try ferry.spawnApp(
            ["-c", (isAlone ? "exec " : "") + "\"$0\" get -o - \"$1\" " + command, BuiltProgram.ferry.path(), url],
            environment: ["XDG_CACHE_HOME": ferry.file("cache")], program: "/bin/sh")
    }

    private func spool(_ ferry: DaemonFixture) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: ferry.file("cache/ferry/output"))
    }

    @Test func `L2 writes the file to standard output and leaves nothing behind`() async throws {
        try await withDaemon(OriginScript(Self.body)) { ferry, origin in
            let result = try await pipe("> piped", ferry, origin.url()).result()
            #expect(result.status == 0, "\(result)")
            #expect(!result.stderr.contains("saved"))
            #expect(try ferry.sha256("piped") == Self.body.sha256Hex)
            #expect(try spool(ferry).isEmpty)
            #expect(try await ferry.list().isEmpty)
        }
    }

    @Test func `L2 writes bytes before all have come, and the same command goes on after Ctrl-C`() async throws {
        let script = OriginScript(Self.body, .on(.request(1), .stall(after: Self.half)))
        try await withDaemon(script) { ferry, origin in
            let first = try pipe("> piped", ferry, origin.url(), isAlone: true)
            try await eventually("what has come is written") {
                let size = try? FileManager.default.attributesOfItem(atPath: ferry.file("piped"))[.size] as? Int64
                return size == Self.half
            }
            let id = try #require(try await ferry.list().first?.id)
            #expect(try await ferry.run(["pause", id]).status == 0)
            first.send(SIGTERM)
            _ = await first.result()
            let again = try await pipe("> piped", ferry, origin.url()).result()
            #expect(again.status == 0 && again.stderr.contains("continuing \(id)"), "\(again)")
            #expect(try ferry.sha256("piped") == Self.body.sha256Hex)
            #expect(origin.requests.last?.value("Range") == "bytes=\(Self.half)-")
            #expect(try spool(ferry).isEmpty)
        }
    }

    @Test func `L2 ends with the status of its transfer`() async throws {
        try await withDaemon(OriginScript(Self.body, always: .status(404))) { ferry, origin in
            let result = try await pipe("> piped", ferry, origin.url()).result()
            #expect(result.status == 5, "\(result)")
            #expect(result.stderr.contains("not_found"))
        }
    }
}
