import ArgumentParser
import FerryCore

/// Formats a command line error in one line, with the option as typed.
///
/// The argument parser's errors are only available as text of several lines with a usage summary.
enum UsageSentence {
    /// - Parameter arguments: The arguments without the program's name.
    static func lines(of error: any Error, for arguments: [String], in program: CommandProgram) -> [String] {
        let message = program.root.message(for: error)
        let sentence = sentence(message, arguments, program) ?? message
        return ["\(program.name): \(sentence)", hint(for: arguments, in: program)]
    }

    /// How to list all options.
    static func hint(for arguments: [String], in program: CommandProgram) -> String {
        "`\(program.words(of: arguments)) --help` shows all options."
    }

    private static func sentence(
        _ message: String, _ arguments: [String], _ program: CommandProgram
    ) -> String? {
        if let option = message.between("Unknown option '", "'") {
            return UnknownOption.sentence(option, for: arguments, in: program)
        }
        if let option = message.between("Missing value for '", "'") {
            return "\(option.firstWord) needs a value."
        }
        if let value = message.between("The value '", "' is invalid for '"),
            let option = message.between("' is invalid for '", "'")
        {
            let name = option.firstWord
            let shown = name.hasPrefix("<") ? "" : name + ": "
            if let why = message.between("' is invalid for '\(option)': ", nil) { return shown + why }
            let choices = message.between("Please provide one of ", nil).map {
                "; it is one of \($0.replacing("'", with: ""))"
            }
            return "\(shown)“\(value.escapingControls)” is not a valid value\(choices ?? ".")"
        }
        if let word = message.between("Unexpected argument '", "'") {
            return "“\(word.escapingControls)” is an unexpected argument."
        }
        if let word = message.between("Missing expected argument '", "'") {
            return "\(word.firstWord) is missing."
        }
        return nil
    }
}

/// The message for an unknown option.
enum UnknownOption {
    /// - Parameter option: As typed.
    static func sentence(
        _ option: String, for arguments: [String], in program: CommandProgram
    ) -> String {
        let shown = option.escapingControls
        guard let near = near(option, among: names(for: arguments, in: program)) else {
            return "\(shown) is not an option of this command."
        }
        return "\(shown) is not an option of this command; did you mean \(near)?"
    }

    /// The first unknown option of a command line, as typed.
    static func first(
        in arguments: [String], of program: CommandProgram
    ) -> String? {
        let own = Dictionary(
            described(arguments, in: program).flatMap { argument in
                (argument.names ?? []).map { ($0.text, argument.kind == "option") }
            }, uniquingKeysWith: { $0 || $1 })
        let takesForeign = isRequest(arguments, in: program)
        /// Whether an option has a value. Nil for an unknown one.
        func hasValue(_ name: String) -> Bool? {
            own[name] ?? (takesForeign ? ForeignOptionTable.option(name)?.takesValue : nil)
        }
        var words = arguments[...]
        while let word = words.popFirst(), word != "--" {
            if word.hasPrefix("--") {
                let name = String(word.prefix { $0 != "=" })
                guard let hasValue = hasValue(name) else {
                    if takesForeign, (try? ForeignOptionTable.opposite(name)) != .some(nil) { continue }
                    return name
                }
                if hasValue, name == word { _ = words.popFirst() }
            } else if word.hasPrefix("-"), word.utf8.count > 1, hasValue(word) == nil || word.utf8.count == 2 {
                for (place, letter) in word.dropFirst().enumerated() {
                    guard let hasValue = hasValue("-\(letter)") else { return word.count == 2 ? word : "-\(letter)" }
                    guard !hasValue else {
                        if place == word.count - 2 { _ = words.popFirst() }
                        break
                    }
                }
            }
        }
        return nil
    }

    /// Whether the named command knows the options of other programs.
    private static func isRequest(_ arguments: [String], in program: CommandProgram) -> Bool {
        let command = program.command(of: arguments)
        return command == GetCommand.self || command == AddCommand.self
    }

    /// The most similar name, or nil if none is similar.
    static func near(_ option: String, among names: [String]) -> String? {
        guard option.hasPrefix("--"), option.utf8.count > 4 else { return nil }
        let word = option.prefix { $0 != "=" }.dropFirst(2).lowercased()
        return names.filter { $0.hasPrefix("--") }
            .map { (name: $0, steps: SuggestedCommand.steps(from: word, to: String($0.dropFirst(2)))) }
            .filter { $0.steps <= max(1, word.count / 4) }.min { $0.steps < $1.steps }?.name
    }

    private static func names(for arguments: [String], in program: CommandProgram) -> [String] {
        let own = described(arguments, in: program).flatMap { ($0.names ?? []).map(\.text) }
        return own + (isRequest(arguments, in: program) ? ForeignOptionTable.words.keys.sorted() : [])
    }

    private static func described(
        _ arguments: [String], in program: CommandProgram
    ) -> [CommandTree.Argument] {
        let all = (try? CommandTree.of(program).leaves) ?? []
        let words = program.pathWords(of: arguments)
        return all.first { $0.words == words }?.command.arguments ?? []
    }
}

extension String {
    /// The text between two marks, or from the first to the end.
    fileprivate func between(_ start: String, _ end: String?) -> String? {
        guard let first = firstRange(of: start)?.upperBound else { return nil }
        guard let end else { return String(self[first...]) }
        return self[first...].firstRange(of: end).map { String(self[first..<$0.lowerBound]) }
    }

    fileprivate var firstWord: String { String(prefix { $0 != " " }) }
}
