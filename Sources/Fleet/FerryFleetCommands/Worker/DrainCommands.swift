import ArgumentParser
import FerryCommands
import FerryCore
import FerryFleet
import FerryFoundation

/// Drains workers.
struct DrainCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "drain",
        abstract: "Let workers claim nothing more, end what they can, give the rest back, and leave.")
    static let exitStatuses: [ExitStatus] = [
        .success, ExitStatus(.unknownTransfer, meaning: "no worker has this name"), .daemon, .usage,
    ]

    @OptionGroup var fleet: FleetOptions

    @Argument(help: "Name of the worker.")
    var worker: String?

    @Flag(help: "All workers.")
    var all = false

    @Option(help: ArgumentHelp("Time for running jobs to end: 0 to 86400.", valueName: "seconds"))
    var patience = 600.0

    func validate() throws {
        guard (0...86_400).contains(patience) else {
            throw ValidationError("--patience is 0 to 86400, not \(patience).")
        }
        guard all != (worker != nil) else { throw ValidationError("Give the name of a worker, or --all.") }
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let names = try await fleet.withQueue(in: context) { try await $0.drain(worker, patience: patience) }
        guard !names.isEmpty || all else {
            throw ServiceError(
                .unknownTransfer,
                "The fleet has no live worker “\((worker ?? "").escapingControls)”. See `ferry fleet status`.")
        }
        context.console.print(names.map(\.escapingControls))
        return 0
    }
}

/// Removes copies of ended jobs.
struct SweepCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "sweep",
        abstract: "Remove unplaced copies of ended jobs from the stores that this machine has mounted.")
    static let exitStatuses: [ExitStatus] = [.success, .daemon, .usage, ExitStatus(.disk)]

    @OptionGroup var fleet: FleetOptions

    func run(in context: CommandContext) async throws -> Int32 {
        try await fleet.withQueue(in: context) { queue in
            var count = 0
            var failures = 0
            for store in try await queue.stores() {
                let copies = FolderCopies(of: store)
                for copy in copies.all() {
                    guard try await isUnneeded(copy, queue) else { continue }
                    do throws(DeliveryFailure) {
                        try copies.remove(copy)
                        count += 1
                    } catch {
                        context.console.say(error.error.message)
                        failures += 1
                    }
                }
            }
            context.console.say("Removed \(count) copies.")
            return failures == 0 ? 0 : ErrorExit.disk.rawValue
        }
    }

    private func isUnneeded(_ copy: FolderCopies.Copy, _ queue: any SharedQueue) async throws -> Bool {
        do {
            let job = try await queue.job(copy.job)
            return job.state.isEnded || copy.fence < job.claims.fence
        } catch {
            guard error.code == .unknownTransfer else { throw error }
            // A removed job, or one of another fleet that shares the folder.
            return copy.age > FolderCopies.longestAge
        }
    }
}
