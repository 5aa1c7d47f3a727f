import FerryTesting
import Foundation
import Glibc
import Testing

@Suite(.serialized, .timeLimit(.minutes(2)))
struct `ferry get` {
    private static let body = SeededBody(seed: 51, size: 300_000)

    @Test func `puts the file into the current folder and keeps standard output clean`() async throws {
        try await withDaemon(OriginScript(Self.body)) { ferry, origin in
            let result = try await ferry.run(["get", origin.url()])
            #expect(result.status == 0, "\(result)")
            #expect(result.stdout.isEmpty)
            #expect(result.stderr.hasSuffix("saved: \(ferry.file("file.bin")) (293.0 KiB)\n"), "\(result)")
            #expect(ferry.contents == ["file.bin"])
            #expect(try ferry.sha256("file.bin") == Self.body.sha256Hex)
            #expect(origin.requests.count == 1)
        }
    }

    @Test func `with -q says nothing at all about success`() async throws {
        try await withDaemon(OriginScript(Self.body)) { ferry, origin in
            let silent = try await ferry.run(["get", "-q", origin.url()])
            #expect(silent == CommandResult(status: 0, stdout: "", stderr: ""))
            let failed = try await ferry.run(["get", "-q", origin.url("/x"), "-o", "file.bin", "--on-conflict", "fail"])
            #expect(failed.status == 10)
            #expect(failed.stderr.contains("destination_exists"))
        }
    }

    @Test func `with --json prints every key of the transfer, and nothing else, on standard output`() async throws {
        try await withDaemon(OriginScript(Self.body)) { ferry, origin in
            let result = try await ferry.run(["get", "--json", origin.url("/a.bin?k=v"), origin.url("/b.bin")])
            #expect(result.status == 0, "\(result)")
            let shown = try result.json([Shown].self)
            #expect(shown.map(\.url) == [origin.url("/a.bin?k=v"), origin.url("/b.bin")])
            #expect(shown.map(\.destination) == [ferry.file("a.bin"), ferry.file("b.bin")])
            #expect(shown.allSatisfy { $0.state == "succeeded" && $0.session == "cli" && $0.attempts == 1 })
            #expect(shown.allSatisfy { $0.bytes_received == Self.body.size && $0.bytes_expected == Self.body.size })
            #expect(shown.allSatisfy { $0.final_url == $0.url && $0.finished_at != nil })
            #expect(try keys(result.stdout) == Self.keys)
        }
    }

    /// Keys that scripts rely on in every state. Further keys may be added.
    private static let keys: Set = [
        "id", "session", "url", "final_url", "state", "reason", "bytes_received", "bytes_expected", "destination",
        "error", "attempts", "created_at", "finished_at",
    ]

    private func keys(_ json: String) throws -> Set<String> {
        let elements = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]]
        return Set(try #require(elements?.first).keys).intersection(Self.keys)
    }

    @Test func `takes URLs from a file and from standard input`() async throws {
        try await withDaemon(OriginScript(Self.body)) { ferry, origin in
            let list = "# two files\n\n\(origin.url("/a"))\n  \(origin.url("/b"))  \r\n"
            try Data(list.utf8).write(to: URL(filePath: ferry.home + "/list"))
            #expect(try await ferry.run(["get", "-q", "-i", ferry.home + "/list"]).status == 0)
            #expect(ferry.contents == ["a", "b"])
            let more = try await ferry.run(["get", "-q", origin.url("/c"), "-i", "-"], input: origin.url("/d") + "\n")
            #expect(more.status == 0, "\(more)")
            #expect(ferry.contents == ["a", "b", "c", "d"])
            let empty = try await ferry.run(["get", "-i", "-"], input: "# none\n")
            #expect(empty.status == 64)
        }
    }

    @Test func `-o names the file and -d the folder, which is made`() async throws {
        try await withDaemon(OriginScript(Self.body)) { ferry, origin in
            let named = try await ferry.run(["get", "-q", origin.url(), "-o", "name", "-d", "new/folder"])
            #expect(named.status == 0, "\(named)")
            #expect(try ferry.sha256("new/folder/name") == Self.body.sha256Hex)
            #expect(try await ferry.run(["get", "-q", origin.url(), "-o", ferry.home + "/absolute"]).status == 0)
            #expect(try FileDigest.sha256(ferry.home + "/absolute") == Self.body.sha256Hex)
            #expect(ferry.contents == ["new"])
        }
    }

    @Test func `-H reaches the origin, again and again`() async throws {
        try await withDaemon(OriginScript(Self.body)) { ferry, origin in
            let result = try await ferry.run([
                "get", "-q", origin.url(), "-H", "X-First: one", "-H", "X-Second:two words", "-H", "User-Agent: mine",
            ])
            #expect(result.status == 0, "\(result)")
            let request = try #require(origin.requests.first)
            #expect(request.value("X-First") == "one")
            #expect(request.value("X-Second") == "two words")
            #expect(request.values("User-Agent") == ["mine"])
        }
    }

    @Test func `--session, --priority and --tag are kept with the transfer`() async throws {
        try await withDaemon(OriginScript(Self.body)) { ferry, origin in
            let result = try await ferry.run([
                "get", "--json", origin.url(), "--session", "nightly", "--priority", "high", "--tag", "music",
            ])
            let shown = try #require(try result.json([Shown].self).first)
            #expect(shown.session == "nightly")
            #expect(shown.priority.text == "high")
            #expect(shown.tags == ["music"])
            #expect(try await ferry.run(["list", "--json", "--session", "nightly"]).json([Shown].self).count == 1)
            #expect(try await ferry.run(["list", "--json", "--session", "other"]).json([Shown].self).isEmpty)
            #expect(try await ferry.run(["list", "--json", "--tag", "music"]).json([Shown].self).count == 1)
        }
    }

    @Test func `I1 a right checksum is verified, a wrong one leaves nothing`() async throws {
        try await withDaemon(OriginScript(Self.body)) { ferry, origin in
            let right = try await ferry.run([
                "get", "-q", origin.url(), "--checksum", "sha256:" + Self.body.sha256Hex.uppercased(),
                "--checksum", "md5:" + Self.body.md5Hex,
            ])
            #expect(right.status == 0, "\(right)")
            let wrong = try await ferry.run([
                "get", origin.url("/wrong"), "--checksum", "sha256:" + String(repeating: "0", count: 64),
            ])
            #expect(wrong.status == 8, "\(wrong)")
            #expect(wrong.stderr.contains("(digest_mismatch)"))
            #expect(wrong.stderr.contains(Self.body.sha256Hex))
            #expect(ferry.contents == ["file.bin"])
            #expect(origin.requests.count == 2)
        }
    }

    @Test func `L2 --limit-rate holds back what the origin could send`() async throws {
        let body = SeededBody(seed: 52, size: 3 << 20)
        try await withDaemon(OriginScript(body)) { ferry, origin in
            let clock = ContinuousClock()
            let start = clock.now
            let result = try await ferry.run(["get", "-q", origin.url(), "--limit-rate", "1M"])
            #expect(result.status == 0, "\(result)")
            // A bucket holds one second of bytes, so three seconds of bytes take at least two.
            #expect(start.duration(to: clock.now) >= .seconds(1.9))
            #expect(try ferry.sha256("file.bin") == body.sha256Hex)
        }
    }

    @Test func `Ctrl-C pauses, says how to resume, and the printed command works`() async throws {
        let body = SeededBody(seed: 53, size: 4 << 20)
        let script = OriginScript(body, .on(.request(1), .stall(after: 1 << 20)))
        try await withDaemon(script) { ferry, origin in
            let get = try ferry.spawn(["get", origin.url()])
            await origin.waitForBytesSent(1 << 20)
            try await eventually("get shows the transfer") { get.stderr.contains("file.bin") }
            try await eventually("the bytes arrived") { try await ferry.list().first?.bytes_received == 1 << 20 }
            get.send(SIGINT)
            let result = await get.result()
            #expect(result.status == 130, "\(result)")
            let transfer = try #require(try await ferry.list().first)
            #expect(transfer.state == "suspended")
            #expect(transfer.bytes_received == 1 << 20)
            #expect(result.stderr.hasSuffix("paused; resume with: ferry resume \(transfer.id)\n"), "\(result)")
            #expect(try await ferry.run(["resume", transfer.id]).status == 0)
            #expect(try await ferry.run(["wait", transfer.id]).status == 0)
            #expect(try ferry.sha256("file.bin") == body.sha256Hex)
            #expect(await origin.allBytesSent == body.size)
        }
    }

    @Test func `SIGTERM leaves the transfer running`() async throws {
        let script = OriginScript(Self.body, always: .hold("middle", at: .body(100_000)))
        try await withDaemon(script) { ferry, origin in
            let get = try ferry.spawn(["get", origin.url()])
            await origin.waitForHold("middle")
            try await eventually("get shows the transfer") { !get.stderr.isEmpty }
            get.send(SIGTERM)
            #expect(await get.result().status == 128 + SIGTERM)
            origin.release("middle")
            let id = try #require(try await ferry.list().first?.id)
            #expect(try await ferry.run(["wait", id]).status == 0)
            #expect(origin.requests.count == 1)
        }
    }
}
