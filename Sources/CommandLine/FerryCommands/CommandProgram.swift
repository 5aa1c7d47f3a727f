package import ArgumentParser
import FerryCore

/// A program with subcommands: `ferry`, or `ferry fleet`. Runs command lines and explains errors in one line.
package struct CommandProgram: Sendable {
    /// The words that call it.
    let name: String
    let root: any ParsableCommand.Type

    package init(name: String, root: any ParsableCommand.Type) {
        self.name = name
        self.root = root
    }

    /// Runs a command line and returns the exit status.
    ///
    /// - Parameter parse: Returns the command with its options.
    package func perform(
        _ arguments: [String], _ context: CommandContext, parse: () throws -> any ParsableCommand
    ) async -> Int32 {
        do {
            var command = try parse()
            guard let command = command as? any FerrySubcommand else {
                try command.run()
                return 0
            }
            return try await command.run(in: context)
        } catch let error as ValidationError {
            context.console.say("\(name): \(error.message)")
            return ErrorExit.usage.rawValue
        } catch let error as ServiceError {
            context.console.say("\(name): \(error.message.escapingTerminalControls) (\(error.word.escapingControls))")
            return error.code.row.exitStatus
        } catch {
            return explain(error, arguments, context)
        }
    }

    /// Prints help, the version, or the error of a command line.
    private func explain(_ error: any Error, _ arguments: [String], _ context: CommandContext) -> Int32 {
        let code = root.exitCode(for: error)
        if let meant = SuggestedCommand.sentence(for: arguments, in: self) {
            context.console.say("\(name): \(meant)")
            return ErrorExit.usage.rawValue
        }
        guard code.isSuccess else {
            if let option = UnknownOption.first(in: arguments, of: self) {
                context.console.say("\(name): \(UnknownOption.sentence(option, for: arguments, in: self))")
                context.console.say(UsageSentence.hint(for: arguments, in: self))
                return ErrorExit.usage.rawValue
            }
            for line in UsageSentence.lines(of: error, for: arguments, in: self) { context.console.say(line) }
            return (code == .validationFailure ? ErrorExit.usage : .own).rawValue
        }
        var message = root.fullMessage(for: error, columns: context.console.size.columns)
        if message.contains("USAGE:"), let command = command(of: arguments) as? any FerrySubcommand.Type {
            message = help(of: command, columns: context.console.size.columns)
        }
        // The parser calls each group of commands subcommands.
        context.console.print(message.trimmedEnd.replacing(" SUBCOMMANDS:\n", with: ":\n"))
        return 0
    }

    /// The help of a command, with its exit statuses.
    package func help(of command: any FerrySubcommand.Type, columns: Int) -> String {
        root.helpMessage(for: command, columns: columns).trimmedEnd + "\n\n" + ExitStatus.footer(command.exitStatuses)
    }

    /// The command named on the command line.
    func command(of arguments: [String]) -> any ParsableCommand.Type { path(of: arguments).last?.command ?? root }

    /// The words that call the named command.
    func words(of arguments: [String]) -> String {
        ([name] + pathWords(of: arguments)).joined(separator: " ")
    }

    /// The same words without the program's.
    func pathWords(of arguments: [String]) -> [String] { path(of: arguments).map(\.word) }

    private func path(of arguments: [String]) -> [(word: String, command: any ParsableCommand.Type)] {
        var path: [(word: String, command: any ParsableCommand.Type)] = []
        for word in arguments where word != "help" {
            let commands = (path.last?.command ?? root).configuration.subcommands
            guard let next = commands.first(where: { $0._commandName == word }) else { break }
            path.append((word, next))
        }
        return path
    }
}

extension String {
    /// The text without control characters other than line breaks.
    fileprivate var escapingTerminalControls: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { String($0).escapingControls }.joined(
            separator: "\n")
    }

    fileprivate var trimmedEnd: String {
        var text = self
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return text
    }
}
