// Ferry: FerryCommands
// Which transfers an action is for.

import ArgumentParser
import FerryCore

/// The transfers that an action is for: some by id, or all.
struct SelectionOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("Transfers, by id.", valueName: "id"))
    var ids: [String] = []

    @Flag(help: "Act on all transfers.")
    var all = false

    @Option(help: ArgumentHelp("With --all: only the transfers of one session.", valueName: "name"))
    var session: String?

    func validate() throws {
        guard all || !ids.isEmpty else { throw ValidationError("Name the transfers by their ids, or give --all.") }
        guard !all || ids.isEmpty else { throw ValidationError("Give ids or --all, not both.") }
        guard session == nil || all else { throw ValidationError("--session goes with --all.") }
    }

    func selection() throws(TransferError) -> TransferSelection {
        if all {
            return TransferSelection(session: try session.map { name throws(TransferError) in try SessionID(name) })
        }
        return TransferSelection(ids: try ids.transferIDs())
    }
}
