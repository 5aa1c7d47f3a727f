import FerryTesting
import Foundation
import Glibc

/// An app with one background session, the daemon for its transfers and the origin.
struct AppFixture: Sendable {
    let daemon: DaemonFixture
    let origin: ScriptedOrigin

    static let session = "org.example.session"
    static let application = "org.example.app"

    /// File for the app's event log.
    var storyFile: String { daemon.file("story.txt") }
    /// Folder for the app's downloaded files.
    var output: String { daemon.file("out") }

    /// Starts a process of the app.
    func launch(_ steps: String..., environment more: [String: String] = [:]) throws -> ChildProcess {
        try daemon.spawnApp([Self.session] + steps, environment: environment.merging(more) { $1 })
    }

    var environment: [String: String] {
        ["EVENTS": storyFile, "OUTPUT": output, "FERRY_APPLICATION_ID": Self.application]
    }

    /// All lines written by the app's processes, in order.
    var story: [String] {
        String(decoding: FileManager.default.contents(atPath: storyFile) ?? Data(), as: UTF8.self)
            .split(separator: "\n").map(String.init)
    }

    /// Waits for a line with this prefix and returns it.
    @discardableResult
    func line(_ beginning: String, count: Int = 1) async throws -> String {
        try await eventually(
            within: .seconds(60),
            "“\(beginning)” is told \(count) times; told:\n\(story.joined(separator: "\n"))\n\(daemon.log)"
        ) {
            lines(beginning).count >= count
        }
        return lines(beginning)[count - 1]
    }

    func lines(_ beginning: String) -> [String] { story.filter { $0.hasPrefix(beginning) } }

    /// Returns the SHA-256 of a task's downloaded file.
    func sha256(_ task: Int) throws -> String { try FileDigest.sha256("\(output)/\(task).bin") }

    /// Kills a process, as a crash would.
    func kill(_ process: ChildProcess) async {
        process.send(SIGKILL)
        _ = await process.result()
    }

    /// Returns the states of the daemon's transfers, from `ferry list --json`.
    func states() async throws -> [String] {
        struct Shown: Decodable { var state: String }
        return try await daemon.run(["list", "--json"]).json([Shown].self).map(\.state)
    }
}

/// Runs `body` with an app, then stops the app, the daemon and the origin.
func withApp(_ script: OriginScript, _ body: (AppFixture) async throws -> Void) async throws {
    try await withOrigin(script) { origin in
        let daemon = try DaemonFixture()
        do {
            let fixture = AppFixture(daemon: daemon, origin: origin)
            try FileManager.default.createDirectory(atPath: fixture.output, withIntermediateDirectories: true)
            try await body(fixture)
            await daemon.stop()
        } catch {
            await daemon.stop()
            throw error
        }
    }
}
