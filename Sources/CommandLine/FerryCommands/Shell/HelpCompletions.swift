import ArgumentParser

/// Completions of the words after `ferry help`, which the parser's scripts do not have.
enum HelpCompletions {
    /// The script with the names of all commands as completions of `ferry help`.
    static func added(to script: String, for shell: CompletionShell) -> String {
        let names = FerryCommand.configuration.subcommands.map { $0._commandName }
        let verbs = names.joined(separator: " ")
        switch shell {
        case .zsh: return script.replacing("'*:subcommands:'", with: "'*:subcommands:(\(verbs))'")
        case .fish:
            return script
                + "\ncomplete -c 'ferry' -n '__fish_seen_subcommand_from help' -fa '\(verbs)'"
        default:
            guard let start = script.firstRange(of: "\n_ferry_help() {")?.upperBound,
                let end = script[start...].firstRange(of: "\n}")?.lowerBound
            else { return script }
            // The script's function splits words at line breaks.
            return script[..<end] + "\n    __ferry_add_completions -W $'\(names.joined(separator: "\\n"))'"
                + script[end...]
        }
    }
}
