import CommandKit
import Foundation
import Testing

@testable import FerryCommands

@Suite struct `Help` {
    static let commands: [(String, any FerrySubcommand.Type)] = [
        ("get", GetCommand.self), ("add", AddCommand.self), ("put", PutCommand.self), ("list", ListCommand.self),
        ("info", InfoCommand.self),
        ("watch", WatchCommand.self), ("wait", WaitCommand.self), ("pause", PauseCommand.self),
        ("resume", ResumeCommand.self), ("cancel", CancelCommand.self), ("retry", RetryCommand.self),
        ("remove", RemoveCommand.self), ("clear", ClearCommand.self), ("set", SetCommand.self),
        ("limit", LimitCommand.self), ("completions", CompletionsCommand.self), ("quit", QuitCommand.self),
        ("settings", SettingsCommand.self), ("doctor", DoctorCommand.self), ("fleet", FleetPassthroughCommand.self),
        ("manual", ManualCommand.self),
        ("daemon-run", DaemonRun.self),
        ("daemon-start", DaemonStart.self),
        ("daemon-stop", DaemonStop.self), ("daemon-restart", DaemonRestart.self),
        ("daemon-enable", DaemonEnable.self), ("daemon-disable", DaemonDisable.self),
        ("daemon-status", DaemonStatus.self), ("web", WebCommand.self),
        ("native-host", NativeHostCommand.self),
        ("gateway-on", GatewayOn.self), ("gateway-off", GatewayOff.self),
        ("gateway-status", GatewayShowStatus.self), ("gateway-secret", GatewayShowSecret.self),
        ("gateway-allow", GatewayAllow.self), ("gateway-folders", GatewayFolders.self),
        ("gateway-show", GatewayShow.self), ("gateway-pair", GatewayPair.self),
        ("gateway-clients", GatewayClients.self),
    ]

    /// `Help/` holds the recorded help texts. `FERRY_RECORD=1` rewrites them.
    @Test(arguments: commands.map(\.0))
    func `the help of a command is as recorded and ends with its exit statuses`(name: String) throws {
        let command = try #require(Self.commands.first { $0.0 == name }).1
        let help = FerryProgram.program.help(of: command, columns: 80) + "\n"
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "Help/\(name).txt")
        if ProcessInfo.processInfo.environment["FERRY_RECORD"] == "1" { try Data(help.utf8).write(to: file) }
        #expect(try String(contentsOf: file, encoding: .utf8) == help)
        #expect(help.contains("\n\nEXIT STATUS:\n"))
    }

    @Test(arguments: [["get", "--help"], ["help", "get"], ["get", "-h"]])
    func `help is found in every way`(arguments: [String]) async {
        let console = RecordingConsole()
        let context = CommandContext(console: console, environment: [:], currentFolder: "/") { FakeDaemon() }
        #expect(await FerryProgram.run(arguments, in: context) == 0)
        #expect(console.output == FerryProgram.program.help(of: GetCommand.self, columns: 80) + "\n")
    }
}
