import CommandKit
import FerryCore
import Foundation
import Testing

@testable import FerryCommands

@Suite(.timeLimit(.minutes(1))) struct `The list of transfers` {
    private static let now = Date(timeIntervalSince1970: 1_000_000)

    /// Returns a daemon with a running transfer, one that finished an hour ago and one that finished two days ago.
    private func daemon() -> FakeDaemon {
        let daemon = FakeDaemon()
        for (id, hours) in [(1, nil), (2, 1), (3, 48)] as [(UInt64, Double?)] {
            var transfer = Transfer.sample(id: id, url: "https://example.com/\(id).iso")
            transfer.createdAt = Self.now - 300_000
            if let hours {
                transfer.state = .succeeded
                transfer.bytesPerSecond = nil
                transfer.times.end = Self.now - hours * 3600
            }
            daemon.add(transfer)
        }
        return daemon
    }

    private func list(_ words: [String], _ daemon: FakeDaemon, _ console: RecordingConsole) async -> Int32 {
        var context = CommandContext(console: console, environment: [:], currentFolder: "/") { daemon }
        context.now = { Self.now }
        return await FerryProgram.run(words, in: context)
    }

    @Test(
        arguments: [
            ([], ["1", "2"]), (["--all"], ["1", "2", "3"]), (["--finished"], ["2", "3"]),
            (["--state", "succeeded"], ["2", "3"]), (["--limit", "2"], ["2", "3"]),
            (["--session", "cli"], ["1", "2", "3"]),
        ] as [([String], [String])])
    func `L10 has open transfers and those that ended in the last day, or the chosen ones`(
        words: [String], expected: [String]
    ) async {
        let console = RecordingConsole()
        #expect(await list(["list"] + words, daemon(), console) == 0)
        #expect(console.output.split(separator: "\n").map { String($0.suffix(5).first ?? "-") } == expected)
    }

    @Test func `L10 has columns for what there is to say`() async throws {
        let console = RecordingConsole(isTerminal: true)
        #expect(await list(["list"], daemon(), console) == 0)
        #expect(
            console.output == """
                1 running at 1.0 MiB/s (1.iso), 1 succeeded
                ID                STATE      DONE     SIZE      SPEED  LEFT  AGE  NAME
                0000000000000001  running     25%  4.0 MiB  1.0 MiB/s  0:03  3 d  1.iso
                0000000000000002  succeeded   25%  4.0 MiB                   3 d  2.iso

                """)
        let daemon = daemon()
        var other = Transfer.sample(id: 4)
        other.session = try SessionID("nightly")
        other.state = .suspended
        daemon.add(other)
        let all = RecordingConsole(isTerminal: true)
        #expect(await list(["list", "--state", "paused", "--state", "succeeded"], daemon, all) == 0)
        #expect(all.output.hasPrefix("ID                STATE      DONE     SIZE   AGE  SESSION  NAME\n"))
    }

    /// The list command reads the unfinished transfers first, then the finished ones.
    @Test func `L10 has a transfer that ends between two readings once, as it ended`() async {
        let daemon = FakeDaemon(endsWhenRead: [TransferID(rawValue: 1)])
        for id in [1, 2] as [UInt64] {
            var transfer = Transfer.sample(id: id)
            transfer.createdAt = Self.now
            daemon.add(transfer)
        }
        let console = RecordingConsole()
        #expect(await list(["list"], daemon, console) == 0)
        let lines = console.output.split(separator: "\n")
        #expect(lines.map { $0.split(separator: " ")[1] } == ["succeeded", "running"])
    }

    @Test func `L10 says where older ones are`() async {
        let console = RecordingConsole()
        #expect(await list(["list"], FakeDaemon(), console) == 0)
        #expect(console.talk.contains("ferry list --all"))
    }

    @Test(
        arguments: [
            ([], [2, 3]), (["--older-than", "1d"], [3]), (["--older-than", "30m"], [2, 3]),
            (["--state", "failed"], nil), (["--older-than", "1w"], nil),
        ] as [([String], [UInt64]?)])
    func `L10 is cleared of ended transfers`(words: [String], expected: [UInt64]?) async {
        let (daemon, console) = (daemon(), RecordingConsole())
        #expect(await list(["clear"] + words, daemon, console) == 0)
        #expect(daemon.actedOn.first?.ids?.map(\.rawValue) == expected)
        #expect(daemon.actions == (expected == nil ? [] : [.remove]))
        #expect(console.talk == (expected.map { "forgotten: \($0.count)" } ?? "Nothing to remove.") + "\n")
    }

    @Test(arguments: [
        (["clear", "--older-than", "7"], "write it as 90s, 30m, 2h or 7d"),
        (["clear", "--older-than", "-7d"], "write it as"),
        (["clear", "--state", "running"], "is not a finished state"),
        (["list", "--finished", "--state", "paused"], "not both"),
    ])
    func `L10 takes no option that makes no sense`(words: [String], sentence: String) async {
        let console = RecordingConsole()
        #expect(await list(words, daemon(), console) == 64)
        #expect(console.talk.contains(sentence))
    }
}
