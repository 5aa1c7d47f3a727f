import ArgumentParser
import FerryClient
import FerryCore
import FerryFoundation

/// Shows transfers live.
struct WatchCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        verb: "watch", abstract: "Show transfers live: some until they have finished, or all until Ctrl-C.",
        discussion: "With --json every event is one line of JSON on standard output.")
    static let exitStatuses: [ExitStatus] = [
        ExitStatus(status: "0", meaning: "the transfers have finished, successfully or not"), .own, .daemon, .unknownID,
        .usage,
        ExitStatus(.interrupt, meaning: "interrupted; the transfers continue"),
    ]

    @Argument(help: "The transfers (default: all).", completion: .ofFerry)
    var id: [String] = []

    @Flag(help: "Print events as JSON, one per line.")
    var json = false

    func run(in context: CommandContext) async throws -> Int32 {
        let service = try context.service()
        let ids = id.isEmpty ? nil : try await TransferWords(words: id).ids(in: service)
        let wait = TransferWait(
            context: context, service: service,
            display: ProgressDisplay(context, total: ids?.count, isQuiet: json),
            signals: context.console.stopSignals())
        let end = try await wait.run(ids) { [json] update in
            guard json, let event = update.event(at: context.now), let line = try? JSONText.line(event) else { return }
            context.console.print(line)
        }
        if case .stopped(let signal) = end { return signal.exitStatus }
        return 0
    }
}

extension FollowUpdate {
    /// This update as an event. A transfer's current state is shown as an event of that kind.
    fileprivate func event(at now: @Sendable () -> Date) -> TransferEvent? {
        switch self {
        case .event(let event): event
        case .snapshot(let transfer):
            TransferEvent(
                number: nil, kind: .init(rawValue: transfer.state.rawValue) ?? .unknown, at: now(), id: transfer.id,
                session: transfer.session, transfer: transfer)
        case .removed, .interrupted: nil
        }
    }
}
