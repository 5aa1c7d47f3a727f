import CommandKit
import FerryCore
import Foundation
import Testing

@testable import FerryCommands

@Suite(.timeLimit(.minutes(1))) struct `Completions` {
    private func daemon(isRunning: Bool = true) throws -> FakeDaemon {
        let daemon = FakeDaemon(isRunning: isRunning, sessions: [.cli, try SessionID("nightly")])
        var first = Transfer.sample(id: 1, url: "https://example.com/a.iso")
        first.tags = ["backup", "$(touch /tmp/owned)", "two words"]
        daemon.add(first, Transfer.sample(id: 2, url: "https://example.com/b\u{1B}[2J.iso"))
        return daemon
    }

    private func complete(_ words: [String], shell: String, daemon: FakeDaemon) async -> String {
        let console = RecordingConsole()
        let context = CommandContext(
            console: console, environment: ["SAP_SHELL": shell], currentFolder: "/"
        ) { daemon }
        #expect(await FerryProgram.run(["---completion"] + words, in: context) == 0)
        #expect(console.talk.isEmpty)
        return console.output
    }

    @Test func `L19 offer ids, with descriptions where the shell shows them`() async throws {
        let words = ["pause", "--", "positional@0", "2", "0", "ferry", "pause", ""]
        #expect(
            try await complete(words, shell: "bash", daemon: daemon()) == "last\n0000000000000002\n0000000000000001\n")
        let fish = try await complete(words, shell: "fish", daemon: daemon())
        #expect(fish.hasSuffix("0000000000000001\trunning a.iso\n"))
        #expect(!fish.contains("\u{1B}"))
        let zsh = try await complete(words, shell: "zsh", daemon: daemon())
        #expect(zsh.hasSuffix("0000000000000001:running a.iso\n \n"))
    }

    @Test func `L19 offer sessions and tags, and nothing that a shell would expand`() async throws {
        let sessions = ["list", "--", "--session", "3", "0", "ferry", "list", "--session", ""]
        #expect(try await complete(sessions, shell: "bash", daemon: daemon()) == "cli\nnightly\n")
        let tags = ["list", "--", "--tag", "3", "0", "ferry", "list", "--tag", ""]
        #expect(try await complete(tags, shell: "bash", daemon: daemon()) == "backup\n")
    }

    @Test func `L19 offer states, priorities, settings, pages and the commands of help`() async throws {
        for shell in ["bash", "zsh", "fish"] {
            let console = RecordingConsole()
            #expect(await ferry("completions", shell, console: console) == 0)
            for words in ["waiting", "low", shell == "bash" ? "get\\nadd\\nput" : "get add put"] {
                #expect(console.output.contains(words), "\(shell)")
            }
        }
        let settings = ["settings", "--", "positional@0", "2", "0", "ferry", "settings", ""]
        #expect(try await complete(settings, shell: "bash", daemon: daemon(isRunning: false)).contains("rate_limit=\n"))
        let pages = ["manual", "--", "positional@0", "2", "0", "ferry", "manual", ""]
        #expect(try await complete(pages, shell: "bash", daemon: daemon(isRunning: false)).contains("\nstart\n"))
    }

    @Test(
        arguments: [
            [], ["--"], ["pause"], ["pause", "--"], ["pause", "--", "--unknown"], ["--", "positional@9"],
        ])
    func `say nothing where there is nothing to choose`(words: [String]) async throws {
        let output = try await complete(words, shell: "bash", daemon: daemon(isRunning: false))
        #expect(output.isEmpty)
    }

    @Test func `L19 start no daemon`() async throws {
        let words = ["pause", "--", "positional@0", "2", "0", "ferry", "pause", ""]
        #expect(try await complete(words, shell: "bash", daemon: daemon(isRunning: false)).isEmpty)
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `L19 are a script that asks ferry for ids`(shell: String) async {
        let console = RecordingConsole()
        #expect(await ferry("completions", shell, console: console) == 0)
        #expect(console.output.contains("---completion pause -- positional@0"))
        #expect(console.output.contains("---completion list -- --session"))
    }
}
