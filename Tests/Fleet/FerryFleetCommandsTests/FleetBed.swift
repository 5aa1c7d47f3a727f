import CommandKit
import FerryCommands
import FerryCore
import FerryFleetCommands
import FerryTesting
import Foundation

/// A database of a fleet with one store, and its commands, which run in this process.
struct FleetBed: Sendable {
    let server: PostgresServer
    let database: String
    private let root: TemporaryFolder

    /// The store's folder.
    var results: String { root.file("results") }

    /// A command's exit status and output.
    struct Outcome {
        var status: Int32
        var output: String
        var talk: String

        var lines: [String] { output.split(separator: "\n").map(String.init) }
        /// Whether the command said one sentence or a few in one line.
        var isOneLine: Bool { talk.split(separator: "\n").count == 1 && talk.hasSuffix("\n") }
    }

    private init(_ server: PostgresServer, _ database: String, _ root: TemporaryFolder) {
        (self.server, self.database, self.root) = (server, database, root)
    }

    /// Calls a closure with a fleet, and removes its folder afterwards.
    static func with(isInitialized: Bool = true, _ body: (FleetBed) async throws -> Void) async throws {
        let server = try await PostgresServer.shared()
        let bed = FleetBed(server, try await server.makeDatabase(), try TemporaryFolder())
        defer { bed.root.remove() }
        if isInitialized {
            let outcome = await bed.ferry("init", "--store", bed.results)
            guard outcome.status == 0 else { throw TestingError(outcome.talk) }
        }
        try await body(bed)
    }

    /// Runs a command with the database's address.
    func ferry(_ words: String..., user: String = "postgres", files: [String: String] = [:]) async -> Outcome {
        await Self.ferry(words + ["--database", server.address(database, user: user)], files: files)
    }

    /// Adds jobs for these names of files and returns their numbers.
    @discardableResult
    func add(_ names: String..., policy: String = "fail") async throws -> [String] {
        let urls = names.map { "https://example.org/\($0)" }
        let options = ["--to", results, "--on-conflict", policy, "--database", server.address(database)]
        let outcome = await Self.ferry(["add"] + urls + options)
        guard outcome.status == 0, outcome.lines.count == names.count else { throw TestingError(outcome.talk) }
        return outcome.lines
    }

    // MARK: Ends of jobs, without a worker

    func fail(_ id: String, _ code: ErrorCode) async throws {
        try await end(id, 2, "{\"code\":\"\(code.rawValue)\",\"message\":\"It failed.\"}")
    }

    func succeed(_ id: String) async throws {
        try await end(id, 1, "{\"path\":\"\(results)/x\",\"size\":1}")
    }

    private func end(_ id: String, _ outcome: Int, _ details: String) async throws {
        try await server.query(
            "SET search_path = ferry; SELECT retire(ARRAY[\(id)], ARRAY[\(outcome)::smallint], ARRAY['\(details)'], 'w')",
            in: database)
    }

    // MARK: Cursors

    /// The cursor before all future ends.
    func cursor() async throws -> String {
        try await server.query("SELECT server || '.' || number || '.0' FROM ferry.last_end()", in: database)
    }

    /// The first line that `watch --json` prints.
    func firstLine(ofWatchAfter cursor: String) async throws -> String {
        let console = RecordingConsole()
        let words = ["watch", "--json", "--after", cursor, "--database", server.address(database)]
        let watching = Task { await Self.ferry(words, console) }
        defer { watching.cancel() }
        try await eventually("a line") { console.output.contains("\n") }
        return String(console.output.prefix { !$0.isNewline })
    }

    /// Runs a command line.
    static func ferry(_ words: [String], files: [String: String] = [:]) async -> Outcome {
        await ferry(words, RecordingConsole(files: files))
    }

    private static func ferry(_ words: [String], _ console: RecordingConsole) async -> Outcome {
        let environment = ["FERRY_HOME": "/nonexistent/home", "HOME": "/nonexistent"]
        let context = CommandContext(console: console, environment: environment, currentFolder: "/") {
            throw ServiceError(.internal, "These commands need no daemon.")
        }
        let status = await FleetProgram.run(words, in: context)
        return Outcome(status: status, output: console.output, talk: console.talk)
    }
}
