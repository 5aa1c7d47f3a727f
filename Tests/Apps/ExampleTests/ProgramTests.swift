import FerryTesting
import Foundation
import Glibc
import Testing

@Suite(.serialized, .timeLimit(.minutes(3)), .enabled(if: ExamplePrograms.folder != nil))
struct `Programs that apps are like` {
    private static let body = SeededBody(seed: 710, size: 1 << 20)

    @Test func `a list follows notifications on the main queue`() async throws {
        try await withExample(OriginScript(Self.body)) { daemon, origin in
            let app = try daemon.lineBuffered("Notified", [origin.url("/a.bin"), origin.url("/b.bin"), "no url"])
            try await app.prints("2 downloads, 2 in the list.")
            try await app.prints("2 of 2 downloads have succeeded.")
            #expect(await app.result().status == 0)
            #expect(app.lines(beginning: "a.bin succeeded /").count == 1)
            for path in try daemon.stored("bin") { #expect(try FileDigest.sha256(path) == Self.body.sha256Hex) }
        }
    }

    @Test func `a shelf pauses all, resumes after a kill, and distinguishes finished from unfinished`() async throws {
        let script = OriginScript(Self.body, .on(.path("/slow.bin"), .hold("middle", at: .body(500_000))))
        try await withExample(script) { daemon, origin in
            let (fast, slow) = (origin.url("/fast.bin"), origin.url("/slow.bin"))
            let first = try daemon.lineBuffered("Shelf", ["add", fast, slow])
            _ = await first.result()
            await origin.waitForHold("middle")
            try await eventually("the fast one is there") {
                try await daemon.transfers().contains { $0.state == "succeeded" }
            }
            let paused = try daemon.lineBuffered("Shelf", ["pause"])
            #expect(await paused.result().status == 0)
            try await eventually("one rests") { try await daemon.transfers().contains { $0.state == "suspended" } }
            let unfinished = await (try daemon.lineBuffered("Shelf", ["unfinished"])).result().stdout
            #expect(unfinished.contains("suspended 47 % \(slow)") && !unfinished.contains(fast), "\(unfinished)")
            origin.release("middle")
            let resumed = try daemon.lineBuffered("Shelf", ["resume"])
            #expect(await resumed.result().status == 0)
            try await eventually("all are there") {
                try await daemon.transfers().allSatisfy { $0.state == "succeeded" }
            }
            let finished = await (try daemon.lineBuffered("Shelf", ["finished"])).result().stdout
            #expect(finished.contains("completed 100 % \(fast)") && finished.contains("completed 100 % \(slow)"))
            #expect(finished.contains("2 downloads, 2097152 bytes on disk"), "\(finished)")
        }
    }

    @Test func `a service that is asked to stop keeps its downloads, and its next start finishes them`() async throws {
        let script = OriginScript(Self.body, .on(.path("/slow"), .hold("middle", at: .body(500_000))))
        try await withExample(script) { daemon, origin in
            let list = daemon.file("list")
            let lines = "fast.iso \(origin.url("/fast"))\nslow.iso \(origin.url("/slow"))\n"
            try Data(lines.utf8).write(to: URL(fileURLWithPath: list))
            try FileManager.default.createDirectory(atPath: daemon.file("mirror"), withIntermediateDirectories: false)
            let first = try daemon.lineBuffered("Mirror", [list, daemon.file("mirror")])
            try await first.prints("have fast.iso")
            await origin.waitForHold("middle")
            first.send(SIGTERM)
            let stopped = await first.result()
            #expect(stopped.stdout.contains("mirror_files_total 1\nmirror_bytes_total 1048576\n"), "\(stopped)")
            try await eventually("the other one rests") {
                try await daemon.transfers().contains { $0.state == "suspended" }
            }
            origin.release("middle")
            let second = try daemon.lineBuffered("Mirror", [list, daemon.file("mirror")])
            let result = await second.result()
            #expect(result.status == 0 && result.stdout.contains("have slow.iso"), "\(result)")
            for name in ["fast.iso", "slow.iso"] {
                #expect(try FileDigest.sha256(daemon.file("mirror/\(name)")) == Self.body.sha256Hex)
            }
        }
    }
}
