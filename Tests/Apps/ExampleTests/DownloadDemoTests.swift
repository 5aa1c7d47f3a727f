import FerryTesting
import Foundation
import Glibc
import Testing

@Suite(.serialized, .timeLimit(.minutes(3)), .enabled(if: ExamplePrograms.folder != nil))
struct `The list of downloads` {
    static let body = SeededBody(seed: 81, size: 1 << 20)

    @Test func `is there again after a kill, with a file that came meanwhile`() async throws {
        let script = OriginScript(Self.body, .on(.path("/slow.bin"), .hold("middle", at: .body(500_000))))
        try await withExample(script) { daemon, origin in
            let first = try WrittenTo(daemon, "first")
            first.write("add \(origin.url("/fast.bin"))", "add \(origin.url("/slow.bin"))")
            try await first.prints("1 succeeded fast.bin ")
            await origin.waitForHold("middle")
            try await first.prints("2 running slow.bin")
            first.kill()
            origin.release("middle")
            try await eventually("the daemon has finished") {
                try await daemon.transfers().map(\.state) == ["succeeded", "succeeded"]
            }
            let second = try WrittenTo(daemon, "second")
            second.write("list")
            try await second.prints("2 succeeded slow.bin ")
            try await second.prints("1 succeeded fast.bin ")
            for path in second.paths { #expect(try FileDigest.sha256(path) == Self.body.sha256Hex) }
            #expect(second.paths.count >= 2)
            #expect(origin.requests.count == 2)
            second.write("remove all", "quit")
            let result = await second.result()
            #expect(result.status == 0, "\(result)")
            #expect(try daemon.stored("bin").isEmpty)
            #expect(try await daemon.transfers().isEmpty)
        }
    }

    @Test func `pauses, resumes and removes by number, and all at once`() async throws {
        try await withExample(OriginScript(Self.body, always: .hold("middle", at: .body(500_000)))) { daemon, origin in
            let app = try WrittenTo(daemon, "app")
            app.write("limit 2", "add \(origin.url("/a.bin"))", "add \(origin.url("/b.bin"))")
            app.write("add \(origin.url("/c.bin"))")
            try await app.prints("2 running b.bin")
            try await app.prints("3 waiting c.bin for its turn")
            app.write("pause 2")
            try await app.prints("2 suspended b.bin")
            try await app.prints("3 running c.bin")
            app.write("pause all")
            try await app.prints("1 suspended a.bin")
            try await app.prints("3 suspended c.bin")
            app.write("remove 2", "pause 7", "add ftp://example.org/x", "sing")
            try await app.prints("There is no download 7.")
            try await app.prints("“ftp://example.org/x” is no http or https URL.")
            try await app.prints("“sing” is not understood.")
            try await eventually("two are left") { try await daemon.transfers().count == 2 }
            origin.release("middle")
            app.write("resume all")
            try await app.prints("1 succeeded a.bin ")
            try await app.prints("2 succeeded c.bin ")
            app.write("quit")
            #expect(await app.result().status == 0)
        }
    }
}

/// A demo with a pipe as its standard input.
struct WrittenTo {
    private let process: ChildProcess
    private let pipe: FileHandle

    init(_ daemon: DaemonFixture, _ name: String) throws {
        let path = daemon.file("\(name).pipe")
        guard unsafe mkfifo(path, 0o600) == 0 else { throw TestingError("\(path) is not made: \(errno)") }
        // Opened for both directions, so that neither side blocks.
        guard let pipe = FileHandle(forUpdatingAtPath: path) else { throw TestingError("\(path) is not opened.") }
        self.pipe = pipe
        process = try daemon.spawnApp(
            ["-c", #"exec "$0" < "$PIPE""#, ExamplePrograms.path("DownloadDemo")],
            environment: ["HOME": daemon.folder, "CFFIXED_USER_HOME": daemon.folder, "PIPE": path], program: "/bin/sh")
    }

    func write(_ lines: String...) { pipe.write(Data(lines.map { $0 + "\n" }.joined().utf8)) }

    func kill() { process.send(SIGKILL) }

    func result() async -> CommandResult { await process.result() }

    /// Waits for a line with this prefix.
    func prints(_ beginning: String) async throws {
        do {
            try await eventually("“\(beginning)” is printed") { !process.lines(beginning: beginning).isEmpty }
        } catch {
            throw TestingError("\(error)\n\(process.stdout)\(process.stderr)")
        }
    }

    /// The file paths in the demo's output.
    var paths: [String] {
        process.lines.compactMap { line in
            guard line.contains(" succeeded "), let start = line.range(of: " /")?.lowerBound else { return nil }
            return String(line[start...].dropFirst())
        }
    }
}
