import ArgumentParser
import FerryCore

/// Shows and changes the daemon's settings.
struct SettingsCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        verb: "settings",
        abstract: "Show the daemon's settings, or change them while it is running.",
        discussion: """
            They apply to the transfers of all sessions and apps together, and survive a restart of the daemon: \
            `ferry settings active_transfers=32 rate_limit=8M`.
            """)
    static let exitStatuses: [ExitStatus] = [.success, .own, .daemon, .usage]

    @Argument(help: "A setting's new value. Bytes may be written as 500k, 8M or 1.5G.", completion: .ofFerry)
    var change: [String] = []

    @Flag(help: "Print the settings as JSON.")
    var json = false

    func run(in context: CommandContext) async throws -> Int32 {
        let wanted = try ServiceSettingsChange(words: change)
        let service = try context.service()
        let settings = try await change.isEmpty ? service.settings() : service.changeSettings(wanted)
        context.console.print(json ? [try JSONText.line(settings)] : Self.lines(settings))
        return 0
    }

    static func lines(_ settings: ServiceSettings) -> [String] {
        let columns = ["SETTING", "VALUE", "DEFAULT", "RANGE", "MEANING"].map { Table.Column(title: $0) }
        let usual = ServiceSettings()
        return Table(columns: columns).lines(
            DaemonSetting.all.map { [$0.name, $0.text(settings), $0.text(usual), $0.range, $0.meaning] })
    }
}
