import FerryCore
import FerryTesting
import Foundation
import Glibc
import Testing

@Suite(.serialized, .timeLimit(.minutes(2)))
struct `Commands over a running daemon` {
    private static let body = SeededBody(seed: 81, size: 2 << 20)
    private static let half: Int64 = 1 << 20
    private static let stalled = OriginScript(body, .on(.request(1), .stall(after: half)))

    struct Act: Decodable {
        var id: String
        var state: String?
        var error: Shown.Failure?
    }

    struct Event: Decodable {
        var number: Int64?
        var kind: String
        var id: String
        var transfer: Shown?
    }

    @Test func `add prints the ids, one a line, in order`() async throws {
        try await withDaemon(OriginScript(Self.body)) { ferry, origin in
            let result = try await ferry.run(["add", origin.url("/a"), origin.url("/b")])
            #expect(result.status == 0)
            #expect(result.stderr.isEmpty)
            #expect(try await ferry.list().map(\.id) == result.lines)
            #expect(result.lines.count == 2 && result.lines.allSatisfy { $0.count == 16 })
            let wait = try await ferry.run(["wait"] + result.lines + ["--json"])
            #expect(wait.status == 0)
            #expect(try wait.json([Shown].self).map(\.id) == result.lines)
            #expect(try await ferry.run(["add", "-q", origin.url("/c")]).stdout.isEmpty)
            let mixed = try await ferry.run(["add", "ftp://x/y", origin.url("/d")])
            #expect(mixed.status == 64)
            #expect(mixed.lines.count == 1)
            #expect(mixed.stderr.contains("unsupported_scheme"))
        }
    }

    @Test func `add --paused waits for resume`() async throws {
        try await withDaemon(OriginScript(Self.body)) { ferry, origin in
            let id = try await ferry.add("--paused", origin.url())
            #expect(try await ferry.info(id).state == "suspended")
            #expect(origin.requests.isEmpty)
            #expect(try await ferry.run(["resume", id]) == CommandResult.said("\(id): waiting"))
            #expect(try await ferry.run(["wait", id]).status == 0)
            #expect(ferry.contents == ["file.bin"])
        }
    }

    @Test func `list and info show what --json shows, for people`() async throws {
        try await withDaemon(OriginScript(Self.body)) { ferry, origin in
            let empty = try await ferry.run(["list", "--json"])
            #expect(empty.stdout == "[]\n", "\(empty)")
            #expect(
                try await ferry.run(["list"])
                    == CommandResult.said(
                        "No transfers are unfinished or were finished in the last day; see ferry list --all."))
            let first = try await ferry.add(origin.url("/a"))
            let second = try await ferry.add("--paused", origin.url("/b"))
            #expect(try await ferry.run(["wait", first]).status == 0)
            let list = try await ferry.run(["list"])
            #expect(list.lines.count == 2)
            #expect(list.lines.first?.contains("succeeded") ?? false)
            #expect(list.lines.last?.hasPrefix(second) ?? false)
            #expect(try await ferry.run(["list", "--state", "paused", "--json"]).json([Shown].self).count == 1)
            #expect(try await ferry.run(["info", "last"]).lines.first?.hasSuffix(second) ?? false)
            #expect(try await ferry.run(["list", "--limit", "1", "--json"]).json([Shown].self).map(\.id) == [second])
            let info = try await ferry.run(["info", first])
            #expect(info.stdout.contains("destination:   \(ferry.file("a"))\n"), "\(info)")
            #expect(try await ferry.info(first).bytes_received == Self.body.size)
        }
    }

    @Test func `pause keeps bytes, resume continues from them`() async throws {
        try await withDaemon(Self.stalled) { ferry, origin in
            let id = try await stalledTransfer(ferry, origin)
            #expect(try await ferry.run(["pause", id]) == CommandResult.said("\(id): paused"))
            #expect(try await ferry.run(["pause", id]).status == 0)
            #expect(try await ferry.info(id).bytes_received == Self.half)
            let resumed = try await ferry.run(["resume", id, "--json"])
            #expect(try resumed.json([Act].self).map(\.id) == [id])
            #expect(try await ferry.run(["wait", id]).status == 0)
            #expect(try ferry.sha256("file.bin") == Self.body.sha256Hex)
            #expect(await origin.allBytesSent == Self.body.size)
            #expect(try await ferry.durableEvents(id) == [.submitted, .suspended, .resumed, .succeeded])
        }
    }

    @Test func `cancel removes the partial file, and retry starts again`() async throws {
        try await withDaemon(Self.stalled) { ferry, origin in
            let id = try await stalledTransfer(ferry, origin)
            #expect(ferry.contents == [".ferry-\(id).part"])
            #expect(try await ferry.run(["cancel", id]) == CommandResult.said("\(id): canceled"))
            #expect(ferry.contents.isEmpty)
            let wait = try await ferry.run(["wait", id])
            #expect(wait.status == 13, "\(wait)")
            #expect(try await ferry.run(["retry", id]).status == 0)
            #expect(try await ferry.run(["wait", id]).status == 0)
            #expect(ferry.contents == ["file.bin"])
            let again = try await ferry.run(["retry", id])
            #expect(again.status == 64, "\(again)")
        }
    }

    @Test func `remove forgets a transfer, and its file only when asked`() async throws {
        try await withDaemon(OriginScript(Self.body)) { ferry, origin in
            let ids = [try await ferry.add(origin.url("/a")), try await ferry.add(origin.url("/b"))]
            #expect(try await ferry.run(["wait"] + ids).status == 0)
            #expect(try await ferry.run(["remove", ids[0]]) == CommandResult.said("\(ids[0]): removed"))
            #expect(ferry.contents == ["a", "b"])
            #expect(try await ferry.run(["remove", ids[1], "--delete-file"]).status == 0)
            #expect(ferry.contents == ["a"])
            #expect(try await ferry.list().isEmpty)
            #expect(try await ferry.run(["info", ids[0]]).status == 15)
        }
    }

    @Test func `remove of a transfer under way leaves nothing`() async throws {
        try await withDaemon(Self.stalled) { ferry, origin in
            let id = try await stalledTransfer(ferry, origin)
            let waiting = try ferry.spawn(["wait", id])
            try await eventually("wait shows it") { !waiting.stderr.isEmpty }
            #expect(try await ferry.run(["remove", id]).status == 0)
            #expect(ferry.contents.isEmpty)
            let wait = await waiting.result()
            #expect(wait.status == 13, "\(wait)")
        }
    }

    @Test func `L1 the same get after Ctrl-C resumes from its bytes`() async throws {
        let script = OriginScript(Self.body, .on(.request(1), .stall(after: Self.half)))
        try await withDaemon(script) { ferry, origin in
            let url = origin.url("/file.bin")
            let first = try ferry.spawn(["get", url])
            try await eventually("half of it is there") {
                try await ferry.list().first?.bytes_received == Self.half
            }
            first.send(SIGINT)
            #expect(await first.result().status == 130)
            let again = try await ferry.run(["get", "-u", "me:secret", url])
            #expect(again.status == 0 && again.stderr.contains("continuing "), "\(again)")
            #expect(try await ferry.list().count == 1)
            #expect(origin.requests.last?.value("Range") == "bytes=\(Self.half)-")
            #expect(try ferry.sha256("file.bin") == Self.body.sha256Hex)
            #expect(try await ferry.run(["get", url]).status == 0)
            #expect(try await ferry.list().count == 2, "What has ended is no unfinished transfer.")
        }
    }

    @Test func `L11 set gives a transfer another address for the same bytes`() async throws {
        let script = OriginScript(Self.body, .on(.request(1), .stall(after: Self.half)))
        try await withDaemon(script) { ferry, origin in
            let id = try await stalledTransfer(ferry, origin)
            #expect(try await ferry.run(["pause", id]).status == 0)
            let words = [
                "set", String(id.prefix(14)), "--url", origin.url("/moved"), "--name", "new.bin", "--priority", "high",
            ]
            #expect(try await ferry.run(words) == CommandResult.said("\(id): changed"))
            #expect(try await ferry.run(["resume", "--wait", id]).status == 0)
            #expect(origin.requests.last?.target == "/moved")
            #expect(try ferry.sha256("new.bin") == Self.body.sha256Hex)
            #expect(try await ferry.run(["clear"]) == CommandResult.said("forgotten: 1"))
            #expect(try await ferry.run(["limit", "2M"]).lines.first == "speed:     2M bytes a second")
        }
    }

    @Test func `--all acts on all, or on those of one session`() async throws {
        try await withDaemon(OriginScript(Self.body, always: .stall(after: 1))) { ferry, origin in
            let mine = try await ferry.add(origin.url("/a"), "--session", "mine")
            let other = try await ferry.add(origin.url("/b"))
            let paused = try await ferry.run(["pause", "--all", "--session", "mine"])
            #expect(paused == CommandResult.said("\(mine): paused"))
            #expect(try await ferry.info(other).state != "suspended")
            #expect(try await ferry.run(["pause", "--all"]).status == 0)
            #expect(try await ferry.list().map(\.state) == ["suspended", "suspended"])
            #expect(try await ferry.run(["cancel", "--all"]).status == 0)
            #expect(try await ferry.list().map(\.state) == ["canceled", "canceled"])
            #expect(try await ferry.run(["remove", "--all", "--json"]).json([Act].self).count == 2)
            #expect(try await ferry.list().isEmpty)
            let none = try await ferry.run(["remove", "--all"])
            #expect(none == CommandResult.said("No transfers to act on."))
            #expect(ferry.contents.isEmpty)
        }
    }

    @Test func `watch --json prints every event until the end`() async throws {
        try await withDaemon(OriginScript(Self.body, always: .hold("middle", at: .body(Self.half)))) { ferry, origin in
            let id = try await ferry.add(origin.url())
            await origin.waitForHold("middle")
            let watch = try ferry.spawn(["watch", id, "--json"])
            try await eventually("watch shows it") { !watch.stdout.isEmpty }
            origin.release("middle")
            let result = await watch.result()
            #expect(result.status == 0, "\(result)")
            let events = try result.lines.map { try JSONDecoder().decode(Event.self, from: Data($0.utf8)) }
            #expect(events.allSatisfy { $0.id == id })
            #expect(events.last?.kind == "succeeded")
            #expect(events.last?.transfer?.state == "succeeded")
            #expect(events.count { $0.kind == "succeeded" } == 1)
        }
    }

    @Test func `watch of everything ends with Ctrl-C and disturbs nothing`() async throws {
        try await withDaemon(Self.stalled) { ferry, origin in
            let id = try await stalledTransfer(ferry, origin)
            let watch = try ferry.spawn(["watch"])
            try await eventually("watch shows it") { !watch.stderr.isEmpty }
            watch.send(SIGINT)
            #expect(await watch.result().status == 130)
            #expect(try await ferry.info(id).state == "running")
        }
    }

    @Test func `wait ends with Ctrl-C and the transfer continues`() async throws {
        try await withDaemon(Self.stalled) { ferry, origin in
            let id = try await stalledTransfer(ferry, origin)
            let wait = try ferry.spawn(["wait", id])
            try await eventually("wait shows it") { !wait.stderr.isEmpty }
            wait.send(SIGINT)
            #expect(await wait.result().status == 130)
            #expect(try await ferry.info(id).state == "running")
        }
    }

    /// Adds a transfer that stalls after the first half and returns its id.
    private func stalledTransfer(_ ferry: DaemonFixture, _ origin: ScriptedOrigin) async throws -> String {
        let id = try await ferry.add(origin.url())
        await origin.waitForBytesSent(Self.half)
        try await eventually("the half arrived") { try await ferry.info(id).bytes_received == Self.half }
        return id
    }
}
