import FerryTesting
import Foundation

/// The programs of the example package, which is built separately. `FERRY_EXAMPLES` names their folder.
enum ExamplePrograms {
    static let folder = ProcessInfo.processInfo.environment["FERRY_EXAMPLES"].flatMap { $0.isEmpty ? nil : $0 }

    static func path(_ name: String) throws -> String {
        let path = "\(folder ?? "")/\(name)"
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw TestingError("The example \(name) is not built; it is not at \(path).")
        }
        return path
    }
}

/// Runs `body` with a daemon and an origin for one example.
func withExample(_ script: OriginScript, _ body: (DaemonFixture, ScriptedOrigin) async throws -> Void) async throws {
    try await withOrigin(script) { origin in
        let daemon = try DaemonFixture()
        do {
            try await body(daemon, origin)
            await daemon.stop()
        } catch {
            await daemon.stop()
            throw error
        }
    }
}

extension DaemonFixture {
    /// Starts an example in the fixture's folder, which is also its home.
    func example(
        _ name: String, _ arguments: String..., environment more: [String: String] = [:]
    ) throws -> ChildProcess {
        try spawnApp(
            arguments,
            environment: ["HOME": folder, "CFFIXED_USER_HOME": folder, "OUTPUT": file("output.txt")].merging(more) {
                $1
            },
            program: ExamplePrograms.path(name))
    }

    /// The output file of an app and of its launched processes.
    var output: String {
        String(decoding: FileManager.default.contents(atPath: file("output.txt")) ?? Data(), as: UTF8.self)
    }

    /// Returns the lines of the output with this prefix.
    func outputLines(_ beginning: String) -> [Substring] {
        output.split(separator: "\n").filter { $0.hasPrefix(beginning) }
    }

    /// Returns the states and waiting reasons of the daemon's transfers.
    func transfers() async throws -> [ShownTransfer] {
        try await run(["list", "--json"]).json([ShownTransfer].self)
    }
}

/// A transfer as `--json` shows it.
struct ShownTransfer: Decodable {
    var state: String
    var reason: String?
    var bytes_received: Int64
}
