import ArgumentParser
import FerryClient
import FerryCore
import Foundation

/// Shows transfers live.
struct WatchCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Show transfers live: some until they end, or all until Ctrl-C.",
        discussion: "With --json every event is one line of JSON on standard output.")
    static let exitStatuses: [ExitStatus] = [
        ExitStatus(status: "0", meaning: "the transfers have ended, well or not"), .own, .daemon, .unknownID, .usage,
        ExitStatus(.interrupt, meaning: "interrupted; the transfers go on"),
    ]

    @Argument(help: "The transfers; none is all.")
    var id: [String] = []

    @Flag(help: "Print events as JSON, one a line.")
    var json = false

    func run(in context: CommandContext) async throws -> Int32 {
        let ids = id.isEmpty ? nil : try id.transferIDs()
        let wait = TransferWait(
            context: context, service: try context.service(),
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
    /// This update as an event; how a transfer stands is shown as an event of its state.
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

/// Waits until transfers end.
struct WaitCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "wait", abstract: "Wait until transfers end.",
        discussion: "Ctrl-C ends the waiting; the transfers go on.")
    static let exitStatuses =
        ExitStatus.transfers + [
            .unknownID, .usage, ExitStatus(.interrupt, meaning: "interrupted; the transfers go on"),
        ]

    @Argument(help: "The transfers.")
    var id: [String]

    @Flag(name: .shortAndLong, help: "Say nothing but errors.")
    var quiet = false

    @Flag(help: "Print the transfers as JSON once they have ended.")
    var json = false

    func run(in context: CommandContext) async throws -> Int32 {
        let ids = try id.transferIDs()
        let results = TransferResults()
        let wait = TransferWait(
            context: context, service: try context.service(),
            display: ProgressDisplay(context, total: ids.count, isQuiet: quiet), signals: context.console.stopSignals())
        if case .stopped(let signal) = try await wait.run(ids, onUpdate: { await results.take($0) }) {
            return signal.exitStatus
        }
        let known = await results.transfers
        let transfers = ids.compactMap { known[$0] }
        if json { context.console.print(try JSONText.array(transfers)) }
        return transfers.lazy.map(\.exitStatus).first { $0 != 0 } ?? 0
    }
}
