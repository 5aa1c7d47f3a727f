import CommandKit
import FerryCore
import FerrySystem
import FerryTesting
import Foundation
import Synchronization
import Testing

@testable import FerryCommands

@Suite struct `The daemon's unit` {
    /// Answers for systemctl and loginctl, by the beginning of the words.
    private static let systemd: [String: ProgramRun] = [
        "systemctl --user show-environment": ProgramRun(end: .exited(0)),
        "systemctl --user daemon-reload": ProgramRun(end: .exited(0)),
        "systemctl --user enable": ProgramRun(end: .exited(0)),
        "systemctl --user disable": ProgramRun(end: .exited(0)),
        "systemctl --user --quiet is-active": ProgramRun(end: .exited(3)),
        "systemctl --user restart": ProgramRun(end: .exited(0)),
        "loginctl enable-linger": ProgramRun(end: .exited(0)),
    ]

    private final class Calls: Sendable {
        let made = Mutex<[String]>([])
    }

    /// Runs a command with programs that are not really run.
    private func run(
        _ words: String, home: String, _ changes: [String: ProgramRun] = [:], environment: [String: String] = [:]
    ) async -> (status: Int32, talk: String, calls: [String]) {
        let console = RecordingConsole()
        let calls = Calls()
        let answers = Self.systemd.merging(changes) { $1 }
        var context = CommandContext(
            console: console, environment: environment.merging(["HOME": home]) { $1 }, currentFolder: home
        ) {
            FakeDaemon()
        }
        context.runProgram = { words in
            let line = words.joined(separator: " ")
            calls.made.withLock { $0.append(line) }
            return answers.first { line.hasPrefix($0.key) }?.value ?? ProgramRun(end: .notStarted(ENOENT))
        }
        let status = await FerryProgram.run(words.split(separator: " ").map(String.init), in: context)
        return (status, console.talk, calls.made.withLock { $0 })
    }

    @Test func `enable writes the unit, hands the daemon over and turns lingering on, and disable undoes it`()
        async throws
    {
        try await withTemporaryFolder { folder in
            let enabled = await run("daemon enable", home: folder.path)
            let path = folder.path + "/.config/systemd/user/ferryd.service"
            #expect(enabled.status == 0, "\(enabled.talk)")
            #expect(
                enabled.calls == [
                    "systemctl --user show-environment", "systemctl --user --quiet is-active ferryd.service",
                    "systemctl --user daemon-reload", "systemctl --user enable --now ferryd.service",
                    "loginctl enable-linger",
                ])
            for word in ["unit: \(path) (written)", "The daemon has stopped", "Lingering is on"] {
                #expect(enabled.talk.contains(word), "\(enabled.talk)")
            }
            let unit = try String(contentsOfFile: path, encoding: .utf8)
            #expect(unit.contains("\nExecStart=\"/opt/my ferry/ferryd\"\n"))
            let disabled = await run("daemon disable", home: folder.path)
            #expect(disabled.status == 0 && disabled.talk.contains("removed: \(path)"), "\(disabled.talk)")
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test func `disable keeps a unit that the user has written`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path + "/.config/systemd/user/ferryd.service"
            try FileManager.default.createDirectory(
                atPath: folder.path + "/.config/systemd/user", withIntermediateDirectories: true)
            try Data("[Service]\n".utf8).write(to: URL(fileURLWithPath: path))
            let disabled = await run("daemon disable", home: folder.path)
            #expect(disabled.status == 0 && FileManager.default.fileExists(atPath: path))
        }
    }

    @Test func `enable without systemd says what else starts the daemon, and writes nothing`() async throws {
        try await withTemporaryFolder { folder in
            let none = ProgramRun(end: .exited(1), output: "Failed to connect to bus: No medium found\n")
            let enabled = await run(
                "daemon enable", home: folder.path, ["systemctl --user show-environment": none])
            #expect(enabled.status == 14)
            #expect(enabled.talk.contains("No medium found") && enabled.talk.contains("@reboot ferry daemon start"))
            #expect(folder.contents.isEmpty)
        }
    }

    @Test func `enable says what is missing where lingering is not allowed`() async throws {
        try await withTemporaryFolder { folder in
            let refused = ProgramRun(end: .exited(1), output: "Could not enable linger: Access denied\n")
            let enabled = await run("daemon enable", home: folder.path, ["loginctl enable-linger": refused])
            #expect(enabled.status == 1)
            #expect(enabled.talk.contains("Access denied. Until an administrator runs `loginctl enable-linger"))
        }
    }

    @Test func `enable is refused for a daemon of another folder`() async {
        let enabled = await run("daemon enable", home: "/home/me", environment: ["FERRY_HOME": "/srv/ferry"])
        #expect(enabled.status == 64 && enabled.calls.isEmpty)
    }

    @Test func `restart leaves a daemon of systemd to it`() async {
        let active = ["systemctl --user --quiet is-active": ProgramRun(end: .exited(0))]
        let restarted = await run("daemon restart", home: "/home/me", active)
        #expect(restarted.status == 0 && restarted.calls.last == "systemctl --user restart ferryd.service")
        let own = await run("daemon restart", home: "/home/me")
        #expect(own.status == 0 && own.calls.last == "systemctl --user --quiet is-active ferryd.service")
    }
}
