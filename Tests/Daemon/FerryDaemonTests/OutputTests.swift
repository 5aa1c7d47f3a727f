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

    /// A regression: only a closed pipe was noticed. The command was a success, and removed the file.
    @Test(arguments: ["> /dev/full", "--checksum sha256:\(body.sha256Hex) > /dev/full"])
    func `L2 fails if its output cannot be written, and keeps the file`(rest: String) async throws {
        try await withDaemon(OriginScript(Self.body)) { ferry, origin in
            let result = try await pipe(rest, ferry, origin.url()).result()
            #expect(result.status == 9, "\(result)")
            #expect(result.stderr.contains("Standard output cannot be written: No space left on device"), "\(result)")
            let id = try #require(try await ferry.list().first?.id)
            #expect(try await ferry.run(["wait", id]).status == 0)
            let again = try await pipe("> piped", ferry, origin.url()).result()
            #expect(again.status == 0, "\(again)")
            #expect(try ferry.sha256("piped") == Self.body.sha256Hex)
        }
    }

    @Test(arguments: [
        "list", "list --json", "get -q --json URL", "add URL", "info last", "daemon status", "--version", "--help",
        "get --help", "manual get", "completions bash", "settings",
    ])
    func `every command fails if its output cannot be written`(command: String) async throws {
        try await withDaemon(OriginScript(Self.body)) { ferry, origin in
            #expect(try await ferry.run(["get", "-q", "-o", "first", origin.url()]).status == 0)
            let words = command.replacingOccurrences(of: "URL", with: origin.url())
            let shell = try ferry.spawnApp(
                ["-c", "exec \"$0\" \(words) > /dev/full", BuiltProgram.ferry.path()], program: "/bin/sh")
            let result = await shell.result()
            #expect(result.status == 9, "\(command): \(result)")
        }
    }

    @Test func `L2 writes to a FIFO and to a device that -o names`() async throws {
        try await withDaemon(OriginScript(Self.body)) { ferry, origin in
            try #require(unsafe mkfifo(ferry.file("fifo"), 0o600) == 0)
            let reader = try ferry.spawnApp(
                ["-c", "cat \"$0\" > \"$1\"", ferry.file("fifo"), ferry.file("read")], program: "/bin/sh")
            let cache = ["XDG_CACHE_HOME": ferry.file("cache")]
            let result = try await ferry.run(["get", "-o", ferry.file("fifo"), origin.url()], environment: cache)
            #expect(result.status == 0, "\(result)")
            #expect(await reader.result().status == 0)
            #expect(try ferry.sha256("read") == Self.body.sha256Hex)
            let device = try await ferry.run(["get", "-o", "/dev/null", origin.url()], environment: cache)
            #expect(device.status == 0, "\(device)")
            let full = try await ferry.run(["get", "-o", "/dev/full", origin.url()], environment: cache)
            #expect(full.status == 9, "\(full)")
            var facts = stat()
            #expect(unsafe lstat("/dev/null", &facts) == 0 && facts.st_mode & S_IFMT == S_IFCHR)
            let added = try await ferry.run(["add", "-o", ferry.file("fifo"), "--on-conflict", "replace", origin.url()])
            #expect(added.status == 10 && added.stderr.contains("a device, a FIFO or a socket"), "\(added)")
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
