import CommandKit
import FerryCore
import Foundation
import Testing

@testable import FerryCommands

@Suite(.timeLimit(.minutes(1))) struct `Transfers that a command line names` {
    private func transfer(_ id: UInt64, _ change: (inout Transfer) -> Void = { _ in }) -> Transfer {
        var transfer = Transfer.sample(id: id)
        change(&transfer)
        return transfer
    }

    /// Returns a daemon with three transfers: running, paused with a tag, failed in another session.
    private func daemon() throws -> FakeDaemon {
        let daemon = FakeDaemon()
        let nightly = try SessionID("nightly")
        daemon.add(
            transfer(0x1234_0000_0000_0001),
            transfer(0x1234_0000_0000_0002) {
                $0.state = .suspended
                $0.tags = ["music"]
            },
            transfer(0x5678_0000_0000_0003) {
                $0.state = .failed
                $0.session = nightly
                $0.url = "https://other.example/a/b.iso"
                let data = #"{"id":"3B9D5F0E-62A1-4C8D-9E17-0A5C6D7E8F90","url":"https://other.example/a/b.iso"}"#
                $0.note = ClientNote(application: "app", identifier: "m", task: 1, kind: .download, data: data)
            })
        return daemon
    }

    @Test(
        arguments: [
            (["1234000000000001"], [1]), (["5678"], [3]), (["5"], [3]), (["last"], [3]),
            (["1234000000000002", "last", "5678"], [2, 3]), (["--state", "paused"], [2]),
            (["--state", "suspended"], [2]), (["--state", "failed", "--state", "running"], [1, 3]),
            (["--tag", "music"], [2]), (["--url", "*/b.iso"], [3]), (["--url", "https://example.com/*"], [1, 2]),
            (["--session", "cli", "--state", "running"], [1]), (["--tag", "none"], []),
            // The UUID by which an app identifies its task.
            (["3B9D5F0E-62A1-4C8D-9E17-0A5C6D7E8F90"], [3]), (["3b9d5f0e-62a1-4c8d-9e17-0a5c6d7e8f90"], [3]),
        ] as [([String], [UInt64])])
    func `are found by ids, prefixes of ids, last, and common properties`(
        words: [String], expected: [UInt64]
    ) async throws {
        let daemon = try daemon()
        let context = CommandContext(console: RecordingConsole(), environment: [:], currentFolder: "/") { daemon }
        #expect(await FerryProgram.run(["pause"] + words, in: context) == 0)
        #expect(daemon.actedOn.map { $0.ids?.map { $0.rawValue & 0xF } } == [expected])
    }

    @Test(
        arguments: [
            (["1234"], 15, "Several transfers have ids with the prefix “1234”"),
            (["9"], 15, "No transfer has an id with the prefix “9”"), (["12x"], 15, "an id has 16 hexadecimal digits"),
            ([""], 15, "an id has 16"), (["11112222333344445"], 15, "an id has 16"),
            (["3B9D5F0E-62A1-4C8D-9E17-0A5C6D7E8F91"], 15, "an id has 16"),
            (["--all", "last"], 64, "not both"), (["last", "--tag", "x"], 64, "not both"),
            (["--state", "asleep"], 64, "the states are waiting, running, paused"),
            ([], 64, "--all selects all of them"),
        ] as [([String], Int32, String)])
    func `that are none, or several, are refused`(words: [String], status: Int32, sentence: String) async throws {
        let (daemon, console) = (try daemon(), RecordingConsole())
        let context = CommandContext(console: console, environment: [:], currentFolder: "/") { daemon }
        #expect(await FerryProgram.run(["pause"] + words, in: context) == status)
        #expect(console.talk.contains(sentence) && daemon.actions.isEmpty)
    }

    @Test func `are all of them, or of a session, without a list of ids`() async throws {
        let daemon = try daemon()
        #expect(await ferry("pause", "--all", daemon: daemon) == 0)
        #expect(await ferry("pause", "--session", "nightly", daemon: daemon) == 0)
        #expect(
            daemon.actedOn == [TransferSelection(), TransferSelection(session: try SessionID("nightly"))])
    }

    @Test(
        arguments: [
            (11, "y", [], true), (11, "yes", [], true), (11, "n", [], false), (11, "", [], false),
            (11, "n", ["--yes"], true), (10, "n", [], true), (11, nil, [], true),
        ] as [(UInt64, String?, [String], Bool)])
    func `are destroyed by the dozen once the user has agreed`(
        count: UInt64, answer: String?, words: [String], isDone: Bool
    ) async {
        let daemon = FakeDaemon()
        for id in 1...count { daemon.add(transfer(id) { $0.state = .failed }) }
        let console = RecordingConsole(answer: answer, isTerminal: true)
        let context = CommandContext(console: console, environment: [:], currentFolder: "/") { daemon }
        #expect(await FerryProgram.run(["remove", "--state", "failed"] + words, in: context) == 0)
        #expect(daemon.actions == (isDone ? [.remove] : []))
        #expect(console.talk.contains("Nothing was done.") != isDone)
    }

    @Test func `are called paused, and suspended in JSON`() async throws {
        let (console, json) = (RecordingConsole(), RecordingConsole())
        #expect(await ferry("list", "--state", "paused", daemon: try daemon(), console: console) == 0)
        #expect(console.output.hasPrefix("1234000000000002  paused  25%  "))
        #expect(await ferry("list", "--state", "paused", "--json", daemon: try daemon(), console: json) == 0)
        #expect(json.output.contains(#""state":"suspended""#))
    }

    @Test func `are waited for by common properties`() async throws {
        let url = "https://example.com/file.iso"
        let daemon = FakeDaemon(ends: [url: .success("/tmp/file.iso")])
        daemon.add(
            transfer(1), transfer(2) { $0.state = .succeeded }, transfer(3) { $0.tags = ["music"] })
        let console = RecordingConsole()
        #expect(await ferry("wait", "--tag", "music", "--json", daemon: daemon, console: console) == 0)
        #expect(console.output.contains("0000000000000003") && !console.output.contains("0000000000000001"))
        #expect(await ferry("wait", "--tag", "none", daemon: daemon, console: console) == 0)
        #expect(console.talk.contains("No transfers to wait for."))
    }
}
