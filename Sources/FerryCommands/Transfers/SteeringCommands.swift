import ArgumentParser
import FerryCore

/// Stops transfers until they are resumed.
struct PauseCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Stop transfers and keep their bytes.")
    static let exitStatuses: [ExitStatus] = [.success, .own, .daemon, .unknownID, .usage]

    @OptionGroup var transfers: SelectionOptions

    @Flag(help: "Print what came of it as JSON.")
    var json = false

    func run(in context: CommandContext) async throws -> Int32 {
        try await transfers.act(.pause, json: json, in: context)
    }
}

/// Lets transfers go on.
struct ResumeCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Let paused transfers go on; what waits for a retry tries at once.")
    static let exitStatuses: [ExitStatus] = [.success, .own, .daemon, .unknownID, .usage]

    @OptionGroup var transfers: SelectionOptions

    @Flag(help: "Print what came of it as JSON.")
    var json = false

    func run(in context: CommandContext) async throws -> Int32 {
        try await transfers.act(.resume, json: json, in: context)
    }
}

/// Ends transfers.
struct CancelCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "End transfers and delete their partial files.")
    static let exitStatuses: [ExitStatus] = [.success, .own, .daemon, .unknownID, .usage]

    @OptionGroup var transfers: SelectionOptions

    @Flag(help: "Print what came of it as JSON.")
    var json = false

    func run(in context: CommandContext) async throws -> Int32 {
        try await transfers.act(.cancel, json: json, in: context)
    }
}

/// Starts ended transfers again.
struct RetryCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Start failed or canceled transfers again, from the bytes they still have.")
    static let exitStatuses: [ExitStatus] = [.success, .own, .daemon, .unknownID, .usage]

    @OptionGroup var transfers: SelectionOptions

    @Flag(help: "Print what came of it as JSON.")
    var json = false

    func run(in context: CommandContext) async throws -> Int32 {
        try await transfers.act(.retry, json: json, in: context)
    }
}

/// Forgets transfers.
struct RemoveCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Forget transfers; unfinished ones are canceled.")
    static let exitStatuses: [ExitStatus] = [.success, .own, .daemon, .unknownID, .usage]

    @OptionGroup var transfers: SelectionOptions

    @Flag(help: "Delete the fetched files too.")
    var deleteFile = false

    @Flag(help: "Print what came of it as JSON.")
    var json = false

    func run(in context: CommandContext) async throws -> Int32 {
        try await transfers.act(deleteFile ? .removeWithFile : .remove, json: json, in: context)
    }
}
