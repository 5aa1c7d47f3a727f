import CommandKit
import FerryCore
import Foundation
import Testing

@testable import FerryCommands

@Suite(.timeLimit(.minutes(1))) struct `The same command again` {
    private static let url = "https://example.com/file.iso"

    /// Returns a daemon with one transfer, which will succeed.
    private func daemon(_ change: (inout Transfer) -> Void = { _ in }) -> FakeDaemon {
        let daemon = FakeDaemon(ends: [Self.url: .success("/home/me/file.iso")])
        var transfer = Transfer.sample(id: 0x2F, url: Self.url)
        transfer.state = .suspended
        transfer.folder = "/home/me"
        change(&transfer)
        daemon.add(transfer)
        return daemon
    }

    @Test(arguments: [TransferState.suspended, .waiting, .running])
    func `L1 resumes an unfinished transfer, and says so`(state: TransferState) async {
        let (daemon, console) = (daemon { $0.state = state }, RecordingConsole())
        #expect(await ferry("get", Self.url, daemon: daemon, console: console) == 0)
        #expect(daemon.requests.isEmpty)
        #expect(daemon.actedOn == [TransferSelection(ids: [TransferID(rawValue: 0x2F)])] && daemon.actions == [.resume])
        #expect(console.talk.contains("continuing 000000000000002f at 25%: file.iso\n"))
        #expect(console.talk.contains("saved: /home/me/file.iso"))
    }

    @Test func `L1 takes over what can be changed: a digest that was asked for is checked`() async throws {
        let daemon = daemon()
        let digest = "md5:00112233445566778899aabbccddeeff"
        let words = [
            "get", "-u", "me:secret", "--limit-rate", "5M", "-x", "4", "--checksum", digest, "-HX: y", "--priority",
            "high", "--on-conflict", "replace", "--mirror", "https://m.example/", Self.url,
        ]
        let context = CommandContext(console: RecordingConsole(), environment: [:], currentFolder: "/home/me") {
            daemon
        }
        #expect(await FerryProgram.run(words, in: context) == 0)
        var change = TransferChange()
        change.action = .resume
        change.url = "https://me:secret@example.com/file.iso"
        change.rateLimit = 5 << 20
        change.connections = 4
        change.checksums = [try Checksum(parsing: digest)]
        change.headers = [HeaderField(name: "X", value: "y")]
        change.priority = .high
        change.onConflict = .replace
        change.mirrors = ["https://m.example/"]
        #expect(daemon.requests.isEmpty && daemon.changes == [change])
    }

    @Test(arguments: [
        ["--new", url], ["-d", "/elsewhere", url], ["-o", "other.iso", url], ["--session", "other", url],
        ["https://example.com/file.iso?2"],
    ])
    func `L1 adds another transfer where the request differs`(words: [String]) async throws {
        let daemon = daemon()
        let context = CommandContext(
            console: RecordingConsole(signals: [.terminate]), environment: [:], currentFolder: "/home/me"
        ) { daemon }
        _ = await FerryProgram.run(["get"] + words, in: context)
        #expect(daemon.requests.count == 1)
    }

    @Test(arguments: [TransferState.succeeded, .failed, .canceled])
    func `L1 makes another transfer where the first has ended`(state: TransferState) async {
        let daemon = daemon { $0.state = state }
        #expect(await ferry("get", "--quiet", Self.url, daemon: daemon) == 0)
        #expect(daemon.requests.count == 1)
    }

    @Test func `L1 finds a name that was given`() async {
        let daemon = daemon { $0.names.given = "given.iso" }
        #expect(await ferry("get", "-o", "given.iso", Self.url, daemon: daemon) == 0)
        #expect(daemon.requests.isEmpty)
    }

    @Test func `L1 resumes one of two equal requests, and keeps the order of the replies`() async {
        let (daemon, console) = (daemon(), RecordingConsole())
        let first = "https://example.com/first.iso"
        #expect(
            await ferry(
                "get", "--json", first, Self.url, Self.url, daemon: daemon,
                console: RecordingConsole(signals: [.terminate])) == 143)
        #expect(daemon.requests.map(\.url) == [first, Self.url])
        let other = FakeDaemon(ends: [Self.url: .success("/home/me/file.iso"), first: .success("/home/me/first.iso")])
        var transfer = Transfer.sample(id: 0x2F, url: Self.url)
        transfer.folder = "/home/me"
        other.add(transfer)
        #expect(await ferry("get", "--json", first, Self.url, daemon: other, console: console) == 0)
        let lines = console.output.split(separator: "\n")
        #expect(lines.count == 4 && lines[1].contains("first.iso") && lines[2].contains("000000000000002f"))
    }

    @Test func `L1 a list resumes its unfinished transfers, and adds the rest`() async {
        let (first, third) = ("https://example.com/1", "https://example.com/3")
        let daemon = FakeDaemon(
            ends: [
                Self.url: .success("/home/me/file.iso"), first: .success("/home/me/1"), third: .success("/home/me/3"),
            ])
        var transfer = Transfer.sample(id: 0x2F, url: Self.url)
        transfer.state = .suspended
        transfer.folder = "/home/me"
        daemon.add(transfer)
        let console = RecordingConsole(files: ["list": "\(first)\n\(Self.url)\n\(third)\n"])
        #expect(await ferry("get", "-i", "list", daemon: daemon, console: console) == 0)
        #expect(daemon.requests.map(\.url) == [first, third])
        #expect(daemon.actedOn == [TransferSelection(ids: [TransferID(rawValue: 0x2F)])])
        #expect(console.talk.contains("continuing unfinished transfers: 1\n"))
        daemon.add(transfer)
        #expect(await ferry("get", "--limit-rate", "5M", "-i", "list", daemon: daemon, console: console) == 0)
        var change = TransferChange()
        change.action = .resume
        change.rateLimit = 5 << 20
        #expect(daemon.changes.contains(change))
    }

    @Test func `L1 more ids than fit a line are shown as the same command`() async {
        let urls = (1...21).map { "https://example.com/\($0)" }.joined(separator: "\n")
        let console = RecordingConsole(files: ["list": urls], signals: [.interrupt])
        #expect(await ferry("get", "-i", "list", daemon: FakeDaemon(), console: console) == 130)
        #expect(console.talk.contains("paused; resume with: the same command\n"))
        let anew = RecordingConsole(files: ["list": urls], signals: [.interrupt])
        #expect(await ferry("get", "--new", "-i", "list", daemon: FakeDaemon(), console: anew) == 130)
        #expect(anew.talk.contains("the same command without --new\n"))
    }
}
