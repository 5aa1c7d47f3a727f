import ArgumentParser
import FerryAPI
import FerryClient
import FerryCore

/// Runs one command line and says with which status to exit.
package enum FerryProgram {
    /// Opens what this process lacks. Call it first.
    package static func prepareProcess() { StandardStreams.fill() }

    /// Runs what this process was started with.
    ///
    /// - Returns: The exit status, with which the process is to end at once: its end closes what is open.
    package static func main() async -> Int32 {
        await perform(Array(CommandLine.arguments.dropFirst()), .system())
    }

    /// - Parameter arguments: What was typed, without the program's name.
    package static func run(_ arguments: [String], in context: CommandContext) async -> Int32 {
        let status = await perform(arguments, context)
        await context.close()
        return status
    }

    private static func perform(_ arguments: [String], _ context: CommandContext) async -> Int32 {
        if arguments.first == CompletionRequest.mark { return await complete(arguments, context) }
        do {
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

    /// Prints what there is to choose from. What goes wrong would only be in the way of the user who types, and no daemon
    /// is started for this.
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
        // The options of all commands take longer to set up than most commands take. Whatever is not simply good goes the
        // long way, which knows what to say of it.
        if let name = arguments.first,
            let type = FerryCommand.configuration.subcommands.first(where: { $0._commandName == name }),
            let command = try? type.parseAsRoot(Array(arguments.dropFirst())), command is any FerrySubcommand
        {
            return command
        }
        return try FerryCommand.parseAsRoot(arguments)
    }

    /// Shows help, the version, or what is wrong with the command line.
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

    /// The help of a command, with its exit statuses at the end.
    static func help(of command: any FerrySubcommand.Type, columns: Int) -> String {
        FerryCommand.helpMessage(for: command, columns: columns).trimmedEnd + "\n\n"
            + ExitStatus.footer(command.exitStatuses)
    }

    /// The command that words on the command line name.
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
    /// Safe to show, with its line breaks.
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

/// Short options with their values in the same word, as `-HName: a=b`.
///
/// The parser of options takes an equals sign in such a word for the end of the option's name.
enum JoinedOptions {
    /// The short options that have values.
    private static let letters = "Hdox".utf8

    static func separated(_ words: [String]) -> [String] {
        let end = words.firstIndex(of: "--") ?? words.endIndex
        var separated: [String] = []
        for (index, word) in words[..<end].enumerated() {
            // What follows an option alone is its value, whatever it looks like.
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
