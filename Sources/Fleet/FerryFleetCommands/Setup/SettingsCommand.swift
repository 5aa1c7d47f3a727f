import ArgumentParser
import FerryCommands
import FerryCore
import FerryFleet

/// Settings of the whole fleet.
struct SettingsCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "settings", abstract: "Show or change settings of the whole fleet.",
        discussion: """
            `keep` is how long ended jobs are kept, such as 30d. Afterwards they are forgotten with their job keys: adding such a \
            key again adds a new job. Files stay.
            """)
    static let exitStatuses: [ExitStatus] = [.success, .daemon, .usage]

    @OptionGroup var fleet: FleetOptions

    @Argument(help: ArgumentHelp("The setting to change: keep.", valueName: "name"))
    var name: String?

    @Argument(help: ArgumentHelp("Its value, such as 30d.", valueName: "value"))
    var value: String?

    @Flag(help: "Print JSON.")
    var json = false

    /// Shortest and longest time to keep ended jobs.
    private static let times = 3600.0...10 * 366 * 86_400

    private struct Shown: Encodable {
        var keep: Double
    }

    func validate() throws {
        guard name == nil || name == "keep" else {
            throw ValidationError("There is no setting “\((name ?? "").escapingControls)”. Settings: keep.")
        }
        if let value, !Self.times.contains(try SpanArgument.parse(value)) {
            throw ValidationError("keep is 1h to 3660d, not \(value.escapingControls).")
        }
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let seconds = try value.map { try SpanArgument.parse($0) }
        let keep = try await fleet.withQueue(in: context) { queue in
            if let seconds { try await queue.keep(for: seconds) }
            return try await queue.keptFor()
        }
        if json {
            context.console.print(try JSONText.line(Shown(keep: keep)))
        } else {
            let time = TimeText.words(keep)
            context.console.print("keep  \(time): ended jobs and their keys are forgotten after that.")
        }
        return 0
    }
}
