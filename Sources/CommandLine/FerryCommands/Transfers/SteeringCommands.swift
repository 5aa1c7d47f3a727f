import ArgumentParser
import FerryCore

/// Suspends transfers until they are resumed.
struct PauseCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        verb: "pause", abstract: "Pause transfers and keep their bytes.")
    static let exitStatuses = ExitStatus.steering

    @OptionGroup var transfers: SelectionOptions

    @OptionGroup var output: ResultOutput

    func run(in context: CommandContext) async throws -> Int32 {
        try await transfers.act(.pause, output: output, in: context)
    }
}

/// Resumes transfers.
struct ResumeCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        verb: "resume", abstract: "Resume paused transfers; transfers waiting for a retry are attempted at once.")
    static let exitStatuses = ExitStatus.waiting

    @OptionGroup var transfers: SelectionOptions

    @OptionGroup var start: StartOptions

    func run(in context: CommandContext) async throws -> Int32 {
        try await start.act(.resume, on: transfers, in: context)
    }
}

/// Cancels transfers.
struct CancelCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        verb: "cancel", abstract: "Cancel transfers and delete their partial files.")
    static let exitStatuses = ExitStatus.steering

    @OptionGroup var transfers: SelectionOptions

    @OptionGroup var end: EndOptions

    func run(in context: CommandContext) async throws -> Int32 {
        try await transfers.act(.cancel, asks: end.question("cancels", onlyOpen: true), output: end.output, in: context)
    }
}

/// Restarts finished transfers.
struct RetryCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        verb: "retry", abstract: "Restart failed or canceled transfers, from the bytes they still have.")
    static let exitStatuses = ExitStatus.waiting

    @OptionGroup var transfers: SelectionOptions

    @OptionGroup var start: StartOptions

    func run(in context: CommandContext) async throws -> Int32 {
        try await start.act(.retry, on: transfers, in: context)
    }
}

/// Removes transfers.
struct RemoveCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        verb: "remove", abstract: "Remove transfers from the list; unfinished ones are canceled.")
    static let exitStatuses = ExitStatus.steering

    @OptionGroup var transfers: SelectionOptions

    @Flag(help: "Also delete the downloaded files.")
    var deleteFile = false

    @OptionGroup var end: EndOptions

    func run(in context: CommandContext) async throws -> Int32 {
        try await transfers.act(
            deleteFile ? .removeWithFile : .remove,
            asks: end.question(deleteFile ? "removes, with their files," : "removes"), output: end.output,
            in: context)
    }
}

// MARK: Shared options

extension ExitStatus {
    static let steering: [ExitStatus] = [.success, .own, .daemon, .unknownID, .usage]
}

/// Options of commands that end transfers.
struct EndOptions: ParsableArguments {
    @Flag(help: "Do not ask for confirmation when more than 10 transfers are selected by options.")
    var yes = false

    @OptionGroup var output: ResultOutput

    func question(_ verb: String, onlyOpen: Bool = false) -> DestructionQuestion {
        DestructionQuestion(verb: verb, onlyOpen: onlyOpen, isAnswered: yes)
    }
}

/// Output options of commands that act on transfers.
struct ResultOutput: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Print only errors.")
    var quiet = false

    @Flag(help: "Print the results as JSON.")
    var json = false
}

/// Options of commands that start transfers.
struct StartOptions: ParsableArguments {
    @Flag(help: "Wait until they have finished, like ferry wait.")
    var wait = false

    @Flag(name: .shortAndLong, help: "Print only errors.")
    var quiet = false

    @Flag(help: "Print the results as JSON; with --wait the finished transfers.")
    var json = false

    func act(
        _ action: TransferAction, on transfers: SelectionOptions, in context: CommandContext
    ) async throws -> Int32 {
        guard wait else {
            var output = ResultOutput()
            (output.quiet, output.json) = (quiet, json)
            return try await transfers.act(action, output: output, in: context)
        }
        let service = try context.service()
        let results = try await service.act(action, onMany: transfers.selection(in: service))
        for result in results where result.error != nil { context.console.say(result.line) }
        let started = results.filter { $0.error == nil && $0.state?.isEnded == false }
        let status = try await Waiting(ids: started.map(\.id), isQuiet: quiet, printsJSON: json).run(in: context)
        return results.compactMap(\.error).first?.code.row.exitStatus ?? status
    }
}
