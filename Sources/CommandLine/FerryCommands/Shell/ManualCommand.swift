import ArgumentParser
import FerryCore

/// Prints manual pages.
struct ManualCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        verb: "manual", abstract: "Print a manual page, for man.",
        discussion: """
            Without a command it prints the page of ferry itself: ferry manual get | man -l -. With --list it prints the names of all \
            pages, one per line, as the command to give.
            """)
    static let exitStatuses: [ExitStatus] = [.success, .own, .usage]

    @Argument(help: ArgumentHelp("The command, such as daemon start.", valueName: "word"), completion: .ofFerry)
    var words: [String] = []

    @Flag(help: "Print the commands with manual pages.")
    var list = false

    func run(in context: CommandContext) async throws -> Int32 {
        let tree = try CommandTree.ofFerry()
        if list {
            context.console.print(tree.leaves.map { $0.words.joined(separator: " ") })
            return 0
        }
        context.console.write(try Self.page(words, in: tree).text, to: .output)
        return 0
    }

    /// - Throws: `ValidationError` for an unknown command.
    static func page(_ words: [String], in tree: CommandTree) throws -> ManualPage {
        if words.isEmpty { return ManualPage(of: tree) }
        guard let leaf = tree.leaves.first(where: { $0.words == words }),
            let command = FerryProgram.program.command(of: words) as? any FerrySubcommand.Type
        else {
            let typed = words.joined(separator: " ").escapingControls
            throw ValidationError("There is no page “\(typed)”; see ferry manual --list.")
        }
        return ManualPage(words, leaf.command, statuses: command.exitStatuses)
    }
}
