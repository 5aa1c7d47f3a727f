import ArgumentParser
import FerryCore

/// Prints a completion script.
struct CompletionsCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        verb: "completions", abstract: "Print a shell's completion script.",
        discussion: """
            For bash: ferry completions bash > ~/.local/share/bash-completion/completions/ferry. For zsh, in a folder of fpath: \
            ferry completions zsh > _ferry. For fish: ferry completions fish > ~/.config/fish/completions/ferry.fish.
            """)
    static let exitStatuses: [ExitStatus] = [.success, .own, .usage]

    @Argument(
        help: ArgumentHelp("bash, zsh or fish.", valueName: "shell"),
        completion: .list(CompletionShell.allCases.map(\.rawValue)),
        transform: CompletionsCommand.shell)
    var shell: CompletionShell

    func run(in context: CommandContext) async throws -> Int32 {
        let script = FerryCommand.completionScript(for: shell)
        context.console.print(HelpCompletions.added(to: script, for: shell))
        return 0
    }

    @Sendable private static func shell(_ text: String) throws -> CompletionShell {
        guard let shell = CompletionShell.allCases.first(where: { $0.rawValue == text }) else {
            throw ValidationError("“\(text.escapingControls)” is not a shell that Ferry supports: bash, zsh or fish.")
        }
        return shell
    }
}
