import CommandKit
import FerryCore
import Foundation
import Testing

@testable import FerryCommands

@Suite(.timeLimit(.minutes(1))) struct `Commands that change transfers and limits` {
    private func run(_ words: [String], _ daemon: FakeDaemon, _ console: RecordingConsole) async -> Int32 {
        var context = CommandContext(console: console, environment: [:], currentFolder: "/home/me") { daemon }
        context.now = { Date(timeIntervalSince1970: 1000) }
        return await FerryProgram.run(words, in: context)
    }

    @Test func `L11 set takes the words of get`() async throws {
        let (daemon, console) = (FakeDaemon(), RecordingConsole())
        daemon.add(.sample(id: 1), .sample(id: 2))
        let words = [
            "set", "0000000000000001", "last", "--url", "https://new.example/x", "--name", "n", "-d", "../you",
            "--priority", "-3",
            "--limit-rate", "500k", "-x16", "--mirror", "https://m.example/x", "-HX-A: b", "--checksum",
            "00112233445566778899aabbccddeeff", "--on-conflict", "replace", "--begin", "+2h",
        ]
        #expect(await run(words, daemon, console) == 0)
        var expected = TransferChange()
        expected.url = "https://new.example/x"
        expected.name = "n"
        expected.folder = "/home/you"
        expected.priority = Priority(word: "-3")
        expected.rateLimit = 500 * 1024
        expected.connections = 16
        expected.mirrors = ["https://m.example/x"]
        expected.headers = [HeaderField(name: "X-A", value: "b")]
        expected.checksums = [try Checksum(parsing: "md5:00112233445566778899aabbccddeeff")]
        expected.onConflict = .replace
        expected.notBefore = Date(timeIntervalSince1970: 1000 + 7200)
        #expect(daemon.changes == [expected, expected])
        #expect(console.talk == "0000000000000001: changed\n0000000000000002: changed\n")
    }

    @Test(
        arguments: [
            (["set"], 64, "<id> is missing."), (["set", "last"], 64, "Give an option to change"),
            (["set", "last", "--name", "a/b"], 64, "use --folder for that"),
            (["set", "last", "--begin", "soon"], 64, "is not a time"),
            (["set", "last", "-x", "65"], 64, "1 to 64"),
            (["set", "0000000000000009", "--priority", "high"], 15, "No transfer has the id"),
            (["limit", "fast"], 64, "is not a number of bytes"), (["limit", "--active", "0"], 64, "write it as 4"),
            (["limit", "--active", "default"], 64, "is for a session"),
            (["completions", "tcsh"], 64, "bash, zsh or fish"),
        ] as [([String], Int32, String)])
    func `L11 L12 contradictory options are refused with a sentence`(words: [String], status: Int32, sentence: String)
        async
    {
        let (daemon, console) = (FakeDaemon(), RecordingConsole())
        daemon.add(.sample(id: 1))
        #expect(await run(words, daemon, console) == status)
        #expect(console.talk.contains(sentence) && daemon.changes.isEmpty)
    }

    @Test func `L12 limit shows and changes the limits of all`() async throws {
        let (daemon, console) = (FakeDaemon(), RecordingConsole())
        #expect(await run(["limit", "8M", "--active", "3", "--per-host", "2"], daemon, console) == 0)
        #expect(console.output == "speed:     8M bytes a second\nactive:    3\nper host:  2\n")
        let settings = try await daemon.settings()
        #expect(settings.rateLimit == 8 << 20 && settings.activeTransfers == 3 && settings.connectionsPerHost == 2)
        let later = RecordingConsole()
        #expect(await run(["limit", "none"], daemon, later) == 0)
        #expect(later.output.hasPrefix("speed:     no limit\n"))
    }

    @Test func `L12 limit shows and changes those of a session`() async throws {
        let nightly = try SessionID("nightly")
        let (daemon, console) = (FakeDaemon(sessions: [nightly]), RecordingConsole())
        #expect(await run(["limit", "--session", "nightly", "1M", "--active", "2"], daemon, console) == 0)
        #expect(console.output == "speed:     1M bytes a second\nactive:    2\nper host:  as for all\n")
        #expect(try await daemon.settings().rateLimit == 0)
        let json = RecordingConsole()
        #expect(await run(["limit", "--session", "nightly", "--active", "default", "--json"], daemon, json) == 0)
        #expect(json.output.contains("rate_limit") && !json.output.contains("active_transfers"))
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `L19 completions are printed for each shell`(shell: String) async {
        let console = RecordingConsole()
        #expect(await run(["completions", shell], FakeDaemon(), console) == 0)
        #expect(console.output.contains("on-conflict") && console.output.contains("older-than"))
    }

    @Test(
        arguments: [
            (["https://example.com/x"], "ferry get https://example.com/x fetches it"),
            (["lst"], "did you mean ferry list?"),
            (["rm", "last"], "did you mean ferry remove?"), (["resmue"], "did you mean ferry resume?"),
            (["frobnicate"], "See ferry --help"),
        ])
    func `L16 a word that is no command is answered with the one that was meant`(
        words: [String], sentence: String
    ) async {
        let console = RecordingConsole()
        #expect(await run(words, FakeDaemon(), console) == 64)
        #expect(console.talk.contains(sentence))
    }

    @Test(arguments: [("resume", TransferAction.resume), ("retry", .retry)])
    func `L13 a started transfer is waited for`(verb: String, action: TransferAction) async {
        let url = "https://example.com/file.iso"
        let daemon = FakeDaemon(ends: [url: .success("/tmp/file.iso")])
        daemon.add(.sample(id: 1, url: url))
        let console = RecordingConsole()
        #expect(await run([verb, "--wait", "last"], daemon, console) == 0)
        #expect(daemon.actions == [action] && console.talk.contains("saved: /tmp/file.iso"))
        let quiet = RecordingConsole()
        #expect(await run([verb, "--quiet", "last"], daemon, quiet) == 0)
        #expect(quiet.talk.isEmpty)
    }
}
