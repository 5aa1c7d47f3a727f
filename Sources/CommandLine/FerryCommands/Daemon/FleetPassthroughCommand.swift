import ArgumentParser
import FerryCore
import FerryFoundation
import Glibc

/// Runs `ferry-fleet`, a program of its own: only a fleet needs the database's client library.
struct FleetPassthroughCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        verb: "fleet", abstract: "Many machines that share one queue in PostgreSQL (program ferry-fleet).",
        discussion: "Runs ferry-fleet with the same arguments. `ferry fleet --help` lists its commands.")
    static let exitStatuses: [ExitStatus] = [
        ExitStatus(.own, meaning: "ferry-fleet is not installed"),
        ExitStatus(status: "…", meaning: "that of ferry-fleet"),
    ]

    @Argument(parsing: .captureForPassthrough, help: "Arguments of ferry-fleet.")
    var arguments: [String] = []

    init() {}

    init(arguments: [String]) { self.arguments = arguments }

    func run(in context: CommandContext) async throws -> Int32 {
        guard let program = Self.program(in: context) else {
            context.console.say(
                "ferry: A fleet needs the program ferry-fleet, which is not installed. Install the package ferry-fleet, or use `scripts/ferry fleet` in Ferry's sources, which builds it."
            )
            return ErrorExit.own.rawValue
        }
        _ = unsafe withCStrings([program] + arguments) { words in unsafe execv(program, words) }
        throw ServiceError(
            .internal, "\(program.escapingControls) cannot be run: \(unsafe String(cString: strerror(errno))).")
    }

    /// `ferry-fleet` beside this program, or in the search path.
    private static func program(in context: CommandContext) -> String? {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let beside = own.split(separator: "/").dropLast().map { "/" + $0 }.joined()
        let folders = [beside] + (context.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return folders.filter { $0.hasPrefix("/") }.map { $0 + "/ferry-fleet" }
            .first(where: { FileManager.default.isExecutableFile(atPath: $0) })
    }
}
