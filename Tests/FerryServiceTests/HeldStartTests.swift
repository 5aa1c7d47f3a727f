import FerryAPI
import FerryCore
import FerryTesting
import Foundation
import Testing

@testable import FerryService

@Suite(.timeLimit(.minutes(2))) struct `A start after traps` {
    private static let body = SeededBody(seed: 34, size: 300_000)

    /// The state folder of a service whose predecessors have left some traps, and the mark's path.
    private func withTraps(
        _ traps: Int, note: String? = nil, _ kind: ServiceKind = .inProcess, _ tweak: Tweak = { _ in },
        _ body: (ServiceBed, _ mark: String) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { outside in
            let paths = try FerryPaths(environment: ["FERRY_HOME": outside.path], userID: geteuid())
            try FileManager.default.createDirectory(
                atPath: paths.stateFolder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let mark = paths.stateFolder + "/start.json"
            try Data(#"{"traps": \#(traps), "at_work": [], "started_at": 0}"#.utf8).write(to: URL(filePath: mark))
            if let note { try Data(note.utf8).write(to: URL(filePath: paths.stateFolder + "/start.trap")) }
            try await withOrigin(OriginScript(Self.body)) { origin in
                try await withService(kind, origin, outside, keepsState: true, tweak) { try await body($0, mark) }
            }
            #expect(!FileManager.default.fileExists(atPath: mark))
            #expect(!FileManager.default.fileExists(atPath: paths.stateFolder + "/start.trap"))
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `holds all transfers after the second, and says who was at work and how to go on`(
        _ kind: ServiceKind
    ) async throws {
        try await withTraps(1, note: "4\n00000000000000ab\n", kind) { bed, mark in
            let held = try await bed.add("/held").id
            let delayed = try await bed.add("/delayed") { $0.notBefore = Date(timeIntervalSinceNow: 1000) }.id
            try await bed.wait(for: held, waiting: .held)
            try await bed.wait(for: delayed, waiting: .held)
            let shown = try await bed.service.transfers(TransferQuery()).transfers
            #expect(shown.map(\.reason) == [.held, .held])
            let warning = try #require(try await bed.service.status().warnings.first)
            #expect(warning.contains("`ferry pause 00000000000000ab`") && warning.contains("`ferry resume --all`"))
            // One by itself stays held.
            #expect(try await bed.act(.resume, held) == .waiting)
            #expect(bed.asked == [])
            #expect(FileManager.default.fileExists(atPath: mark))
            _ = try await bed.service.act(.resume, on: TransferSelection(ids: nil))
            try await bed.wait(for: held, .succeeded)
            #expect(try await bed.service.status().warnings == [])
        }
    }

    @Test(arguments: [(0, "4\n00000000000000ab\n"), (0, nil), (1, nil)] as [(Int, String?)])
    func `is a usual one before the second`(_ traps: Int, _ note: String?) async throws {
        try await withTraps(traps, note: note) { bed, _ in
            let id = try await bed.add().id
            try await bed.wait(for: id, .succeeded)
            #expect(try await bed.service.status().warnings == [])
        }
    }

    @Test func `is forgotten once the daemon has run for a while`() async throws {
        try await withTraps(1, note: nil, .inProcess, { $0.trial = 0.01 }) { _, mark in
            try await eventually("the end of the trial") { !FileManager.default.fileExists(atPath: mark) }
        }
    }

    @Test func `does not need files that can be read or written`() async throws {
        try await withTemporaryFolder { outside in
            let paths = try FerryPaths(environment: ["FERRY_HOME": outside.path], userID: geteuid())
            for name in ["start.json", "start.trap"] {
                try FileManager.default.createDirectory(
                    atPath: paths.stateFolder + "/" + name, withIntermediateDirectories: true)
            }
            try await withOrigin(OriginScript(Self.body)) { origin in
                try await withService(.inProcess, origin, outside, keepsState: true) { bed in
                    let id = try await bed.add().id
                    try await bed.wait(for: id, .succeeded)
                }
            }
        }
    }
}
