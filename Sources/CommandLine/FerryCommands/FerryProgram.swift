import ArgumentParser
import FerryAPI
import FerryClient
import FerryCore
import FerryFoundation
import FerrySystem

/// Runs a command line and returns the exit status.
package enum FerryProgram {
    /// Opens missing standard streams. Call first.
    package static func prepareProcess() { StandardStreams.fill() }

    /// Runs the command line of this process.
    ///
    /// - Returns: The exit status. The process must exit with it at once, which closes open resources.
    package static func main() async -> Int32 {
        await perform(Array(ThisProcess.arguments.dropFirst()), .system())
    }

    /// - Parameter arguments: The arguments without the program's name.
    package static func run(_ arguments: [String], in context: CommandContext) async -> Int32 {
        let status = await perform(arguments, context)
        await context.close()
        return status
    }

    static let program = CommandProgram(name: "ferry", root: FerryCommand.self)

    private static func perform(_ arguments: [String], _ context: CommandContext) async -> Int32 {
        if arguments.first == CompletionRequest.mark { return await complete(arguments, context) }
        return await program.perform(arguments, context) {
            if arguments.first == FleetPassthroughCommand._commandName {
                // Its help, too, is that of the other program.
                return FleetPassthroughCommand(arguments: Array(arguments.dropFirst()))
            }
            if arguments.prefix(2) == ["help", FleetPassthroughCommand._commandName] {
                return FleetPassthroughCommand(arguments: arguments.dropFirst(2) + ["--help"])
            }
            return try parse(arguments)
        }
    }

    /// Prints completions. Errors are ignored, since they would only disturb typing, and no daemon is started.
    private static func complete(_ arguments: [String], _ context: CommandContext) async -> Int32 {
        let request = CompletionRequest(arguments, shell: context.environment["SAP_SHELL"])
        if let lines = request?.linesWithoutDaemon {
            context.console.print(lines)
        } else if let request, let daemon = try? context.daemon(), (try? await daemon.statusIfRunning()) != nil,
            let lines = try? await request.lines(in: daemon.service)
        {
            context.console.print(lines)
        }
        return 0
    }

    /// Splits joined options, and translates those of other programs that add transfers.
    package static func separated(_ typed: [String]) throws -> [String] {
        let isRequest = typed.first == GetCommand._commandName || typed.first == AddCommand._commandName
        return isRequest
            ? try typed.prefix(1) + TranslatedArguments.translated(Array(typed.dropFirst()))
            : JoinedOptions.separated(typed)
    }

    private static func parse(_ typed: [String]) throws -> any ParsableCommand {
        let arguments = try separated(typed)
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
