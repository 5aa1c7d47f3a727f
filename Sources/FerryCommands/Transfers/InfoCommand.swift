// Ferry: FerryCommands
// ferry info

import ArgumentParser
import FerryCore

/// Shows one transfer.
struct InfoCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Show all that is known of a transfer.")
    static let exitStatuses: [ExitStatus] = [.success, .own, .daemon, .unknownID, .usage]

    @Argument(help: "The transfer.")
    var id: String

    @Flag(help: "Print JSON.")
    var json = false

    func run(in context: CommandContext) async throws -> Int32 {
        let transfer = try await context.service().transfer(TransferID(typed: id))
        context.console.print(
            json ? [try JSONText.line(transfer)] : TransferRendering.page(transfer, now: context.now()))
        return 0
    }
}
