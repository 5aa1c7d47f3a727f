// Ferry: FerryCommands
// ferry daemon status

import ArgumentParser
import FerryClient
import FerryCore
import Foundation

/// Shows how the daemon is.
struct DaemonStatus: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show how the daemon is; starts none.")
    static let exitStatuses: [ExitStatus] = [
        ExitStatus(status: "0", meaning: "the daemon runs"), .own,
        ExitStatus(status: "14", meaning: "no daemon runs, or it cannot be reached"), .usage,
    ]

    @Flag(help: "Print JSON.")
    var json = false

    func run(in context: CommandContext) async throws -> Int32 {
        guard let status = try await context.daemon().statusIfRunning() else {
            if json { context.console.print(try JSONText.line(Absence())) }
            context.console.say("No daemon runs.")
            return ErrorCode.daemonUnreachable.row.exitStatus
        }
        context.console.print(json ? [try JSONText.line(status)] : Self.lines(status))
        return 0
    }

    static func lines(_ status: ServiceStatus) -> [String] {
        let counts = TransferState.known.compactMap { state in
            status.transfers[state.rawValue].flatMap { $0 > 0 ? "\($0) \(state.rawValue)" : nil }
        }
        let facts = [
            ("version", status.version), ("pid", "\(status.pid)"), ("started", status.startedAt.formatted(.iso8601)),
            ("transfers", counts.isEmpty ? "none" : counts.joined(separator: ", ")),
        ]
        return (facts + status.warnings.map { ("warning", $0) }).map { name, value in
            (name + ":").fitted(to: 11) + value.escapingControls
        }
    }

    /// What `--json` prints when no daemon runs: the same keys, without values.
    private struct Absence: Encodable {
        func encode(to encoder: any Encoder) throws {
            var box = encoder.container(keyedBy: CodingKeys.self)
            try box.encodeNil(forKey: .pid)
            try box.encodeNil(forKey: .version)
            try box.encode([String: Int](), forKey: .transfers)
        }

        enum CodingKeys: String, CodingKey { case pid, version, transfers }
    }
}
