import ArgumentParser
import FerryCore

/// Shows and changes the most common limits.
struct LimitCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        verb: "limit",
        abstract: "Show or change the limits of speed and number, for all transfers or for a session.",
        discussion:
            "`ferry limit 8M` limits all transfers together; `ferry limit none` removes the limit. `ferry settings` has all settings."
    )
    static let exitStatuses: [ExitStatus] = [.success, .own, .daemon, .usage]

    @Argument(
        help: ArgumentHelp(
            "Bytes per second for all transfers together, such as 500k or 8M; 0 or none for no limit.",
            valueName: "rate"),
        transform: LimitCommand.rate)
    var rate: Int64?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Number of running transfers; for a session also default.", valueName: "number"),
        transform: LimitCommand.count)
    var active: Count?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Connections per host; for a session also default.", valueName: "number"),
        transform: LimitCommand.count)
    var perHost: Count?

    @Option(
        help: ArgumentHelp(
            "on or off: whether slow_rate_limit of `ferry settings` applies as well, to all transfers.",
            valueName: "switch"))
    var slow: Switch?

    enum Switch: String, ExpressibleByArgument, CaseIterable { case on, off }

    @Option(
        help: ArgumentHelp("The limits of this session, within the global ones.", valueName: "name"),
        completion: .ofFerry)
    var session: String?

    @Flag(help: "Print all settings, including the limits, as JSON.")
    var json = false

    /// A count, where `default` uses the daemon's limit.
    enum Count: Equatable, Sendable { case number(Int), usual }

    private var changes: Bool { rate != nil || active != nil || perHost != nil || slow != nil }

    func validate() throws {
        guard session != nil || active != .usual && perHost != .usual else {
            throw ValidationError("“default” is for a session; ferry settings shows the global limits.")
        }
        guard session == nil || slow == nil else {
            throw ValidationError("--slow applies to all transfers, not to a session.")
        }
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let service = try context.service()
        guard let session else {
            let settings = try await changes ? service.changeSettings(change) : service.settings()
            context.console.print(
                json
                    ? [try JSONText.line(settings)]
                    : Self.lines(
                        settings.currentRateLimit, isSlow: settings.isSlow, "\(settings.activeTransfers)",
                        "\(settings.connectionsPerHost)"))
            return 0
        }
        let id = try await SessionID(typed: session, in: service)
        let known = try await service.sessions().first { $0.id == id }
        guard known != nil || id == .cli else {
            throw ServiceError(
                .invalidRequest, "There is no session “\(session.escapingControls)”; ferry list --all shows them.")
        }
        var settings = known?.settings ?? SessionSettings()
        if changes {
            var change = SessionSettingsChange()
            change.rateLimit = rate
            change.activeTransfers = active.map(\.number)
            change.hostConnections = perHost.map(\.number)
            settings = try await service.changeSession(id, change).settings
        }
        let usual = "as for all"
        context.console.print(
            json
                ? [try JSONText.line(settings)]
                : Self.lines(
                    settings.rateLimit, settings.activeTransfers.map(String.init) ?? usual,
                    settings.hostConnections.map(String.init) ?? usual))
        return 0
    }

    private var change: ServiceSettingsChange {
        var change = ServiceSettingsChange()
        change.rateLimit = rate
        change.activeTransfers = active?.number
        change.connectionsPerHost = perHost?.number
        change.isSlow = slow.map { $0 == .on }
        return change
    }

    private static func lines(
        _ rate: Int64, isSlow: Bool = false, _ active: String, _ perHost: String
    ) -> [String] {
        [
            "speed:     " + (rate > 0 ? ByteText.exact(rate) + " bytes a second" : "no limit")
                + (isSlow ? " (slow)" : ""),
            "active:    " + active, "per host:  " + perHost,
        ]
    }

    @Sendable private static func rate(_ text: String) throws -> Int64 {
        text == "none" ? 0 : try ByteAmount.rate(text)
    }

    @Sendable private static func count(_ text: String) throws -> Count {
        if text == "default" { return .usual }
        guard let number = Int(text), number > 0 else {
            throw ValidationError(
                "“\(text.escapingControls)” is not a number of transfers or connections; write it as 4.")
        }
        return .number(number)
    }
}

extension LimitCommand.Count {
    fileprivate var number: Int? {
        switch self {
        case .number(let number): number
        case .usual: nil
        }
    }
}
