import FerryTesting
import Foundation
import Glibc

/// An app of one background session, with the daemon that carries its transfers and the origin that serves them.
struct AppFixture: Sendable {
    let daemon: DaemonFixture
    let origin: ScriptedOrigin

    static let session = "org.example.session"
    static let application = "org.example.app"

    /// Where the app writes what happens to it.
    var storyFile: String { daemon.file("story.txt") }
    /// Where the app puts its files.
    var output: String { daemon.file("out") }

    /// Starts a process of the app.
    func launch(_ steps: String..., environment more: [String: String] = [:]) throws -> ChildProcess {
        try daemon.spawnApp([Self.session] + steps, environment: environment.merging(more) { $1 })
    }

    var environment: [String: String] {
        ["EVENTS": storyFile, "OUTPUT": output, "FERRY_APPLICATION_ID": Self.application]
    }

    /// What all processes of the app have written, in order.
    var story: [String] {
        String(decoding: FileManager.default.contents(atPath: storyFile) ?? Data(), as: UTF8.self)
            .split(separator: "\n").map(String.init)
    }

    /// Returns once a line with this beginning is there; gives the line.
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

    /// The SHA-256 of the file that a task brought.
    func sha256(_ task: Int) throws -> String { try FileDigest.sha256("\(output)/\(task).bin") }

    /// Ends a process as a crash does.
    func kill(_ process: ChildProcess) async {
        process.send(SIGKILL)
        _ = await process.result()
    }

    /// The states of the daemon's transfers, as `ferry list --json` shows them.
    func states() async throws -> [String] {
        struct Shown: Decodable { var state: String }
        return try await daemon.run(["list", "--json"]).json([Shown].self).map(\.state)
    }
}

/// Runs some code with an app, and ends everything afterwards.
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
