import FerryAPI
import FerryCore
import FerrySystem
import FerryTesting
import Foundation
import Testing

@testable import FerryQueue
@testable import FerryService

@Suite(.timeLimit(.minutes(2))) struct `A start after traps` {
    private static let body = SeededBody(seed: 34, size: 300_000)

    /// Runs `body` with a service's state folder in which some traps are recorded, and with the mark's path.
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
    func `fails the transfers that were running, and continues all others`(_ kind: ServiceKind) async throws {
        try await withTemporaryFolder { outside in
            let paths = try FerryPaths(environment: ["FERRY_HOME": outside.path], userID: geteuid())
            try await withOrigin(OriginScript(Self.body, .on(.path("/suspect"), .hold("go", at: .body(100_000))))) {
                origin in
                var suspect = TransferID(rawValue: 0)
                var other = suspect
                try await withService(kind, origin, outside, keepsState: true) { bed in
                    suspect = try await bed.add("/suspect").id
                    other = try await bed.add("/other") { $0.timing.notBefore = Date(timeIntervalSinceNow: 1000) }.id
                    try await bed.wait(for: suspect, received: 100_000)
                }
                let mark = paths.stateFolder + "/start.json"
                try Data(#"{"traps": 1, "at_work": [], "started_at": 0}"#.utf8).write(to: URL(filePath: mark))
                try Data("4\n\(suspect)\n".utf8).write(to: URL(filePath: paths.stateFolder + "/start.trap"))
                try await withService(kind, origin, outside, keepsState: true) { bed in
                    let failed = try await bed.service.transfer(suspect)
                    #expect(failed.state == .failed && failed.bytesReceived == 100_000)
                    #expect(failed.error?.message.contains("`ferry retry \(suspect)`") == true)
                    let warning = try #require(try await bed.service.status().warnings.first)
                    #expect(warning.contains("\(suspect). All others continue."))
                    try await bed.wait(for: other, waiting: .beginDate)
                    let third = try await bed.add("/third").id
                    try await bed.wait(for: third, .succeeded)
                    // After a retry, it continues from its bytes.
                    origin.release("go")
                    _ = try await bed.act(.retry, suspect)
                    try await bed.wait(for: suspect, .succeeded)
                    // After this, a kill does not fail it again.
                    let left = try JSONDecoder().decode(StartMark.self, from: Data(contentsOf: URL(filePath: mark)))
                    #expect(left.traps == 2 && left.atWork == [])
                }
            }
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
