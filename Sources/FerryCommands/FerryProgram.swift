import ArgumentParser
import FerryAPI
import FerryClient
import FerryCore

/// Runs a command line and returns the exit status.
package enum FerryProgram {
    /// Opens missing standard streams. Call first.
    package static func prepareProcess() { StandardStreams.fill() }

    /// Runs the command line of this process.
    ///
    /// - Returns: The exit status. The process must exit with it at once, which closes open resources.
    package static func main() async -> Int32 {
        await perform(Array(CommandLine.arguments.dropFirst()), .system())
    }

    /// - Parameter arguments: The arguments without the program's name.
    package static func run(_ arguments: [String], in context: CommandContext) async -> Int32 {
        let status = await perform(arguments, context)
        await context.close()
        return status
    }

    private static func perform(_ arguments: [String], _ context: CommandContext) async -> Int32 {
        if arguments.first == CompletionRequest.mark { return await complete(arguments, context) }
        do {
            if arguments.first == FleetPassthroughCommand._commandName {
                // Its help, too, is that of the other program.
                return try await FleetPassthroughCommand(arguments: Array(arguments.dropFirst())).run(in: context)
            }
            var command = try parse(arguments)
            do {
                guard let command = command as? any FerrySubcommand else {
                    try command.run()
                    return 0
                }
                return try await command.run(in: context)
            } catch let error as ValidationError {
                context.console.say("ferry: \(error.message)")
                return ErrorExit.usage.rawValue
            }
        } catch let error as ValidationError {
            context.console.say("ferry: " + error.message)
            return ErrorExit.usage.rawValue
        } catch let error as ServiceError {
            context.console.say("ferry: \(error.message.escapingTerminalControls) (\(error.word.escapingControls))")
            return error.code.row.exitStatus
        } catch {
            return explain(error, arguments, context)
        }
    }

    /// Prints completions. Errors are ignored, since they would only disturb typing, and no daemon is started.
    private static func complete(_ arguments: [String], _ context: CommandContext) async -> Int32 {
        let request = CompletionRequest(arguments, shell: context.environment["SAP_SHELL"])
        if let request, let daemon = try? context.daemon(), (try? await daemon.statusIfRunning()) != nil,
            let lines = try? await request.lines(in: daemon.service)
        {
            context.console.print(lines)
        }
        return 0
    }

    private static func parse(_ typed: [String]) throws -> any ParsableCommand {
        let isRequest = typed.first == GetCommand._commandName || typed.first == AddCommand._commandName
        let arguments =
            isRequest
            ? try typed.prefix(1) + TranslatedArguments.translated(Array(typed.dropFirst()))
            : JoinedOptions.separated(typed)
        // Setting up the options of all commands takes longer than most commands do. So the named command is parsed
        // alone first, and all of them only if that fails, for the better error message.
        if let name = arguments.first,
            let type = FerryCommand.configuration.subcommands.first(where: { $0._commandName == name }),
            let command = try? type.parseAsRoot(Array(arguments.dropFirst())), command is any FerrySubcommand
        {
            return command
        }
        return try FerryCommand.parseAsRoot(arguments)
    }

    /// Prints help, the version, or the error of a command line.
    private static func explain(_ error: any Error, _ arguments: [String], _ context: CommandContext) -> Int32 {
        let code = FerryCommand.exitCode(for: error)
        if let meant = SuggestedCommand.sentence(for: arguments) {
            context.console.say("ferry: " + meant)
            return ErrorExit.usage.rawValue
        }
        guard code.isSuccess else {
            for line in UsageSentence.lines(of: error, for: arguments) { context.console.say(line) }
            return (code == .validationFailure ? ErrorExit.usage : .own).rawValue
        }
        var message = FerryCommand.fullMessage(for: error, columns: context.console.size.columns)
        if message.contains("USAGE:"), let command = command(of: arguments) as? any FerrySubcommand.Type {
            message = help(of: command, columns: context.console.size.columns)
        }
        context.console.print(message.trimmedEnd)
        return 0
    }

    /// The help of a command, with its exit statuses.
    static func help(of command: any FerrySubcommand.Type, columns: Int) -> String {
        FerryCommand.helpMessage(for: command, columns: columns).trimmedEnd + "\n\n"
            + ExitStatus.footer(command.exitStatuses)
    }

    /// The command named on the command line.
    static func command(of arguments: [String]) -> any ParsableCommand.Type {
        var command: any ParsableCommand.Type = FerryCommand.self
        for word in arguments where word != "help" {
            guard let next = command.configuration.subcommands.first(where: { $0._commandName == word }) else { break }
            command = next
        }
        return command
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

/// Splits short options from their values, as in `-HName: a=b`.
///
/// The argument parser would take an equals sign in such a word for the end of the option's name.
enum JoinedOptions {
    /// The short options with values.
    private static let letters = "Hdox".utf8

    static func separated(_ words: [String]) -> [String] {
        let end = words.firstIndex(of: "--") ?? words.endIndex
        var separated: [String] = []
        for (index, word) in words[..<end].enumerated() {
            // The word after an option is its value, whatever it looks like.
            let isValue = index > 0 && words[index - 1].utf8.count == 2 && isOption(words[index - 1])
            let isJoined = !isValue && isOption(word) && word.utf8.contains(UInt8(ascii: "="))
            if isJoined, word.utf8.dropFirst(2).first != UInt8(ascii: "=") {
                separated += [String(Substring(word.utf8.prefix(2))), String(Substring(word.utf8.dropFirst(2)))]
            } else {
                separated.append(word)
            }
        }
        return separated + words[end...]
    }

    private static func isOption(_ word: String) -> Bool {
        let bytes = word.utf8
        guard bytes.first == UInt8(ascii: "-"), let letter = bytes.dropFirst().first else { return false }
        return letters.contains(letter)
    }
}
