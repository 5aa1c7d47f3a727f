import ArgumentParser
import FerryCommands
import FerryCore
import FerryFleet
import FerryFoundation
import FerryPostgres

/// Options of all commands of a fleet.
struct FleetOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The fleet's database, as a connection string of libpq (default: database in fleet.yaml).",
            valueName: "address"))
    var database: String?

    @Flag(help: "Accept a connection to the database that does not verify its server.")
    var insecureDatabase = false

    @Option(help: ArgumentHelp("File of settings (default: fleet.yaml).", valueName: "file"), completion: .file())
    var settings: String?
}

extension FleetOptions {
    /// Reads the settings: of the given file, or of the user's or the machine's `fleet.yaml`.
    func read(in context: CommandContext) throws -> FleetSettings {
        if let settings { return try FleetSettings(context.console.read(settings), name: settings) }
        for path in Self.paths(in: context) where FileManager.default.fileExists(atPath: path) {
            return try FleetSettings(context.console.read(path), name: path)
        }
        return FleetSettings()
    }

    private static func paths(in context: CommandContext) -> [String] {
        var paths: [String] = []
        if let home = context.environment["FERRY_HOME"], home.hasPrefix("/") {
            return [home + "/fleet.yaml"]
        }
        if let folder = context.environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") {
            paths.append(folder + "/ferry/fleet.yaml")
        } else if let home = context.environment["HOME"], home.hasPrefix("/") {
            paths.append(home + "/.config/ferry/fleet.yaml")
        }
        return paths + ["/etc/ferry/fleet.yaml"]
    }

    func address(_ settings: FleetSettings) throws -> DatabaseAddress {
        guard let text = database ?? settings.database else {
            throw ValidationError(
                "No database is known. Set `database` in fleet.yaml, or give --database, such as --database \"host=db dbname=ferry\"."
            )
        }
        return try DatabaseAddress(text, allowsInsecure: insecureDatabase)
    }

    /// The queue. A call that takes long says what it waits for.
    func queue(in context: CommandContext) async throws -> PostgresQueue {
        let queue = PostgresQueue(try address(read(in: context)))
        await queue.reportDelays { context.console.sayDelay($0) }
        return queue
    }

    /// Runs a closure with the queue, and closes its connection.
    func withQueue<Result>(
        in context: CommandContext, _ body: (any SharedQueue) async throws -> Result
    ) async throws -> Result {
        let queue = try await queue(in: context)
        do {
            let result = try await body(queue)
            await queue.close()
            return result
        } catch {
            await queue.close()
            throw error
        }
    }
}

extension Console {
    /// Says what the database waits for.
    func sayDelay(_ sentence: String) { say("ferry fleet: \(sentence)") }
}
