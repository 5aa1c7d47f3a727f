import ArgumentParser
import FerryCore

/// Suggests a command for an unknown first word.
enum SuggestedCommand {
    /// Nil if the first word, or the first after `help`, is a command or an option.
    static func sentence(for arguments: [String], in program: CommandProgram) -> String? {
        let names = program.root.configuration.subcommands.map { $0._commandName }
        let words = arguments.first == "help" ? arguments.dropFirst() : arguments[...]
        guard let word = words.first, !word.hasPrefix("-"), !names.contains(word) else { return nil }
        let shown = "“\(word.escapingControls)”"
        if word.contains("://") {
            let fetching =
                names.contains("get") ? "get \(word.escapingControls) fetches it" : "add adds it to the queue"
            return "Unknown command \(shown); \(program.name) \(fetching)."
        }
        let near = names.map { (name: $0, steps: steps(from: word.lowercased(), to: $0)) }
            .filter { $0.steps <= max(1, $0.name.count / 3) }.min { $0.steps < $1.steps }
        if let meant = others[word.lowercased()].flatMap({ names.contains($0) ? $0 : nil }) ?? near?.name {
            return "Unknown command \(shown); did you mean \(program.name) \(meant)?"
        }
        return "Unknown command \(shown). See \(program.name) --help."
    }

    /// Names used by other programs.
    private static let others = [
        "ls": "list", "ps": "list", "rm": "remove", "delete": "remove", "download": "get", "fetch": "get",
        "stop": "pause", "start": "resume",
        "status": "list", "show": "info", "inspect": "info", "prune": "clear", "kill": "cancel",
        "config": "settings", "edit": "set", "change": "set", "top": "watch", "follow": "watch",
    ]

    /// The edit distance with transpositions.
    static func steps(from word: String, to other: String) -> Int {
        let (from, to) = (Array(word), Array(other))
        var rows = [Array(0...to.count)]
        for (row, letter) in from.enumerated() {
            var next = [row + 1]
            for (column, wanted) in to.enumerated() {
                var best = min(rows[row][column + 1] + 1, next[column] + 1)
                best = min(best, rows[row][column] + (letter == wanted ? 0 : 1))
                if row > 0, column > 0, letter == to[column - 1], from[row - 1] == wanted {
                    best = min(best, rows[row - 1][column - 1] + 1)
                }
                next.append(best)
            }
            rows.append(next)
        }
        return rows[from.count][to.count]
    }
}
