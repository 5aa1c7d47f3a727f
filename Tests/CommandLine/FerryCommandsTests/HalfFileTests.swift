import CommandKit
import FerryCore
import FerryTesting
import Foundation
import Testing

@testable import FerryCommands

@Suite struct `The incomplete file of another program` {
    private let half = HalfFile(path: "/home/me/a.iso", size: 1000)
    private static let digest = Checksum(.sha256, bytes: Data(repeating: 7, count: 32))

    private func head(_ fields: [String: String], digests: [Checksum]? = nil, status: Int = 200) -> ResponseFacts {
        var head = ResponseFacts(
            url: "http://h/a.iso", status: status, version: "HTTP/1.1",
            fields: fields.map { HeaderField(name: $0.key, value: $0.value) })
        head.digests = digests
        return head
    }

    private func source(_ change: (inout PartialSource) -> Void = { _ in }) -> PartialSource {
        var source = PartialSource(
            path: "/home/me/a.iso", offset: 1000, etag: nil, lastModified: nil, date: nil, completeLength: nil)
        change(&source)
        return source
    }

    @Test func `is continued where the user's digest or the server's will prove it`() {
        let digest = Self.digest
        #expect(
            half.verdict(checksums: [digest], head: nil, isUnproven: false)
                == .continues(source(), checksums: [digest]))
        #expect(
            half.verdict(checksums: [], head: head([:], digests: [digest]), isUnproven: false)
                == .continues(source(), checksums: [digest]))
    }

    @Test func `is continued without proof only if the user says so and the server identifies its file`() {
        let identified = head(["ETag": "\"1\"", "Content-Length": "3000", "Date": "now"])
        guard case .startsOver(let reason) = half.verdict(checksums: [], head: identified, isUnproven: false) else {
            Issue.record("It is continued without proof.")
            return
        }
        #expect(reason.contains("--continue-unproven") && reason.contains("--checksum"))
        let wanted = source { ($0.etag, $0.date, $0.completeLength) = ("\"1\"", "now", 3000) }
        #expect(
            half.verdict(checksums: [], head: identified, isUnproven: true) == .continues(wanted, checksums: []))
        let unidentified = head(["Content-Length": "3000"])
        guard case .startsOver = half.verdict(checksums: [], head: unidentified, isUnproven: true) else {
            Issue.record("Nothing says which version the server has.")
            return
        }
    }

    @Test func `is complete with the length of the server's file`() {
        #expect(
            half.verdict(checksums: [], head: head(["Content-Length": "1000"]), isUnproven: false) == .isComplete)
    }

    /// An error page or a login page must not cost a large file.
    @Test(arguments: [
        (["Content-Length": "999", "ETag": "\"1\""], 200), (["Content-Length": "1000"], 404), ([:], 200),
    ])
    func `is unrelated where the server's file is shorter or has no known length`(
        fields: [String: String], status: Int
    ) {
        guard case .isUnrelated = half.verdict(checksums: [], head: head(fields, status: status), isUnproven: true)
        else {
            Issue.record("It is continued.")
            return
        }
    }

    /// Runs `add` in a folder with the file `a.iso`, and returns the request.
    private func add(_ words: [String], _ daemon: FakeDaemon = FakeDaemon()) async throws -> (
        request: TransferRequest?, talk: String, status: Int32
    ) {
        try await withTemporaryFolder { folder in
            try Data("half".utf8).write(to: URL(fileURLWithPath: folder.path + "/a.iso"))
            let console = RecordingConsole()
            let context = CommandContext(console: console, environment: [:], currentFolder: folder.path) { daemon }
            let status = await FerryProgram.run(["add", "-q"] + words + ["http://h/a.iso"], in: context)
            return (daemon.requests.first, console.talk, status)
        }
    }

    @Test(arguments: ["-nc", "--on-conflict fail", "--on-conflict unique", "-N", "--auto-file-renaming=false"])
    func `is protected by every other policy of the user`(policy: String) async throws {
        let sum = String(repeating: "0", count: 64)
        let words = ["-c", "--checksum", sum] + policy.split(separator: " ").map(String.init)
        let request = try #require(try await add(words).request)
        #expect(request.file.continues == nil && request.file.onConflict != .replace)
    }

    @Test func `is not replaced unless the user names it`() async throws {
        let refused = try await add(["-c"])
        #expect(refused.request == nil && refused.status == 10, "\(refused.talk)")
        #expect(refused.talk.contains("it is not continued") && refused.talk.contains("-o NAME"))
        // `add` asks no server.
        #expect(refused.talk.contains("nothing is known of the server's file"))
        let named = try #require(try await add(["-c", "-o", "a.iso"]).request)
        #expect(named.file.continues == nil && named.file.onConflict == .replace)
    }

    @Test(arguments: ["-c", "-C -", "--continue-at -", "--continue=true", "--continue-file"])
    func `is looked for with the options of other programs`(option: String) async throws {
        try await withTemporaryFolder { folder in
            try Data("half".utf8).write(to: URL(fileURLWithPath: folder.path + "/a.iso"))
            let daemon = FakeDaemon()
            let console = RecordingConsole()
            let context = CommandContext(console: console, environment: [:], currentFolder: folder.path) { daemon }
            let words = option.split(separator: " ").map(String.init)
            let sum = String(repeating: "0", count: 64)
            #expect(
                await FerryProgram.run(["add"] + words + ["--checksum", sum, "http://h/a.iso"], in: context) == 0)
            let request = try #require(daemon.requests.first)
            #expect(request.file.continues?.path == folder.path + "/a.iso" && request.file.continues?.offset == 4)
            #expect(request.file.name == "a.iso" && request.file.onConflict == .replace)
            #expect(console.talk.contains("a.iso has 4 B: continuing after them, sha256 will prove the file"))
        }
    }
}
