import CommandKit

@testable import FerryCommands

/// Runs a command line against a private daemon.
func ferry(
    _ arguments: String..., daemon: FakeDaemon = FakeDaemon(), console: RecordingConsole = RecordingConsole(),
    environment: [String: String] = [:]
) async -> Int32 {
    let context = CommandContext(console: console, environment: environment, currentFolder: "/home/me") { daemon }
    return await FerryProgram.run(arguments, in: context)
}
