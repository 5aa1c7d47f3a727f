import ArgumentParser
import FerryCommands
import FerryCore
import FerryFleet
import FerryFoundation
import FerryPostgres

/// Creates the schema and the roles.
struct InitCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Create the fleet's schema and roles in its database, as the database's owner.",
        discussion: """
            Run it again at any time: it creates what is missing. Then grant roles, as in `GRANT ferry_worker TO alice`: \
            ferry_worker runs jobs, ferry_submitter adds jobs and sees and changes its own, ferry_reader sees everything, \
            ferry_operator sees and changes everything.
            """)
    static let exitStatuses: [ExitStatus] = [.success, .daemon, .usage]

    @OptionGroup var fleet: FleetOptions

    @Option(
        help: ArgumentHelp(
            "Folder that all workers share, as a store named after its last part; can be given several times.",
            valueName: "folder"))
    var store: [String] = []

    func run(in context: CommandContext) async throws -> Int32 {
        let address = try fleet.address(fleet.read(in: context))
        let report = try SchemaMigration.initialize(address) { context.console.sayDelay($0) }
        context.console.say(report.sentence)
        guard !store.isEmpty else { return 0 }
        return try await fleet.withQueue(in: context) { queue in
            for folder in store { try await StoreSetting(folder: folder, name: nil).apply(to: queue, in: context) }
            return 0
        }
    }
}

/// Brings the schema up to date.
struct MigrateCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Bring the fleet's schema up to date. Then replace the workers.")
    static let exitStatuses: [ExitStatus] = [.success, .daemon, .usage]

    @OptionGroup var fleet: FleetOptions

    func run(in context: CommandContext) async throws -> Int32 {
        let address = try fleet.address(fleet.read(in: context))
        context.console.say(try SchemaMigration.migrate(address) { context.console.sayDelay($0) }.sentence)
        return 0
    }
}

extension SchemaMigration.Report {
    var sentence: String {
        guard let before else { return "Created the schema ferry, version \(after)." }
        return before == after
            ? "The schema ferry is up to date, version \(after)."
            : "Migrated the schema ferry from version \(before) to \(after)."
    }
}

/// Stores of the fleet.
struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store", abstract: "Folders that all workers share.",
        subcommands: [StoreSetCommand.self, StoreListCommand.self])
}

struct StoreSetCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Make a shared folder a store, on a machine where it is mounted.",
        discussion: """
            Writes the file .ferry-fleet-store into the folder. Workers deliver only into a folder with that file, so that none \
            writes into an empty mount point.
            """)
    static let exitStatuses: [ExitStatus] = [
        .success, ExitStatus(.destination, meaning: "the folder cannot be written"), .daemon, .usage,
    ]

    @OptionGroup var fleet: FleetOptions

    @Argument(help: "Name of the store.")
    var name: String

    @Argument(help: "Absolute path of the folder, the same on all machines.", completion: .directory)
    var folder: String

    func run(in context: CommandContext) async throws -> Int32 {
        try await fleet.withQueue(in: context) { queue in
            try await StoreSetting(folder: folder, name: name).apply(to: queue, in: context)
            return 0
        }
    }
}

struct StoreListCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the fleet's stores.")
    static let exitStatuses: [ExitStatus] = [.success, .daemon, .usage]

    @OptionGroup var fleet: FleetOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run(in context: CommandContext) async throws -> Int32 {
        let stores = try await fleet.withQueue(in: context) { try await $0.stores() }
        if json {
            context.console.print(try JSONText.array(stores))
        } else {
            let table = Table(columns: [Table.Column(title: "NAME"), Table.Column(title: "FOLDER")])
            context.console.print(
                table.lines(
                    stores.map { [$0.name.escapingControls, $0.folder.escapingControls] },
                    withTitles: context.console.isTerminal(.output)))
        }
        return 0
    }
}

/// A folder that becomes a store.
struct StoreSetting {
    var folder: String
    var name: String?

    /// Writes the folder's mark, or reads an existing one, and adds the store.
    func apply(to queue: any SharedQueue, in context: CommandContext) async throws {
        guard folder.hasPrefix("/") else {
            throw ValidationError(
                "“\(folder.escapingControls)” is a relative path. A store is the same folder on all machines.")
        }
        let path = URL(fileURLWithPath: folder).standardizedFileURL.path
        let mark = path + "/" + FolderStore.markName
        let known = try FirstLine.read(mark)
        let text = known ?? UUID().uuidString
        if known == nil {
            do {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
                try Data((text + "\n").utf8).write(to: URL(fileURLWithPath: mark), options: .atomic)
            } catch {
                throw ServiceError(
                    .destinationUnwritable,
                    "\(path.escapingControls) cannot be written on this machine: \("\(error)".escapingControls)")
            }
        }
        let store = Store(name: name ?? String(path.split(separator: "/").last ?? "root"), folder: path, mark: text)
        try await queue.setStore(store)
        context.console.say("Store \(store.name.escapingControls) is \(path.escapingControls).")
    }
}

/// Limits and holds of origins.
struct OriginCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "origin", abstract: "Limits of servers across the fleet.",
        subcommands: [OriginSetCommand.self, OriginHoldCommand.self, OriginReleaseCommand.self])
}

struct OriginSetCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Limit the number of transfers from a server in the whole fleet.")
    static let exitStatuses: [ExitStatus] = [.success, .daemon, .usage]

    @OptionGroup var fleet: FleetOptions

    @Argument(help: "A URL of the server, such as https://example.org.")
    var origin: String

    @Option(help: ArgumentHelp("Maximum number of transfers at once; 0 for no limit.", valueName: "number"))
    var atOnce: Int

    func validate() throws {
        guard (0...10_000).contains(atOnce) else { throw ValidationError("--at-once is 0 to 10000, not \(atOnce).") }
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let origin = try HTTPURL(parsing: origin).origin
        try await fleet.withQueue(in: context) { try await $0.setOrigin(origin, atOnce: atOnce == 0 ? nil : atOnce) }
        return 0
    }
}

struct OriginHoldCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "hold", abstract: "Start no transfer from a server for a while. Running ones go on.")
    static let exitStatuses: [ExitStatus] = [.success, .daemon, .usage]

    @OptionGroup var fleet: FleetOptions

    @Argument(help: "A URL of the server.")
    var origin: String

    @Option(help: ArgumentHelp("1 to 3600.", valueName: "seconds"))
    var seconds = 3600.0

    func validate() throws {
        guard (1...3600).contains(seconds) else { throw ValidationError("--seconds is 1 to 3600, not \(seconds).") }
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let origin = try HTTPURL(parsing: origin).origin
        try await fleet.withQueue(in: context) { try await $0.hold(origin, seconds: seconds) }
        return 0
    }
}

struct OriginReleaseCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(commandName: "release", abstract: "End the hold of a server.")
    static let exitStatuses: [ExitStatus] = [.success, .daemon, .usage]

    @OptionGroup var fleet: FleetOptions

    @Argument(help: "A URL of the server.")
    var origin: String

    func run(in context: CommandContext) async throws -> Int32 {
        let origin = try HTTPURL(parsing: origin).origin
        try await fleet.withQueue(in: context) { try await $0.release(origin) }
        return 0
    }
}
