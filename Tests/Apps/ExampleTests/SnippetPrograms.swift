import FerryTesting
import Foundation

/// Runs programs that do not flush each line.
extension DaemonFixture {
    /// Starts one function of the snippets. Its home, documents and temporary folder are the fixture's folder.
    func snippet(_ function: String, _ origin: ScriptedOrigin) throws -> ChildProcess {
        try lineBuffered(
            "Snippets", [function], environment: ["FERRY_TEST_BASE": origin.url(""), "TMPDIR": folder + "/"])
    }

    /// Starts an example with line-buffered output, so that it can be read while the example runs.
    func lineBuffered(
        _ name: String, _ arguments: [String], environment more: [String: String] = [:]
    ) throws -> ChildProcess {
        try spawnApp(
            ["-oL", ExamplePrograms.path(name)] + arguments,
            environment: ["HOME": folder, "CFFIXED_USER_HOME": folder].merging(more) { $1 },
            program: "/usr/bin/stdbuf")
    }

    /// Returns the files below the folder with one of these extensions, sorted.
    func stored(_ extensions: String...) throws -> [String] {
        paths.filter { extensions.contains(($0 as NSString).pathExtension) }.sorted().map(file)
    }

    /// Returns the paths below the folder with this suffix.
    func stored(endingIn text: String) -> [String] { paths.filter { "/\($0)".hasSuffix(text) }.map(file) }

    private var paths: [String] { FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? [] }
}

extension ChildProcess {
    /// The printed lines.
    var lines: [Substring] { stdout.split(separator: "\n") }

    func lines(equal text: String) -> [Substring] { lines.filter { $0 == text } }
    func lines(beginning text: String) -> [Substring] { lines.filter { $0.hasPrefix(text) } }
    func lines(containing text: String) -> [Substring] { lines.filter { $0.contains(text) } }

    /// Waits until a line is printed.
    func prints(_ line: String) async throws {
        try await until("“\(line)” is printed") { !lines(equal: line).isEmpty }
    }

    /// Waits until a line with this prefix is printed.
    func printsLine(beginning text: String) async throws {
        try await until("a line is printed that begins with “\(text)”") { !lines(beginning: text).isEmpty }
    }

    /// Waits until the completion of a request is printed.
    func printsResponse() async throws {
        try await until("a response is printed") { !lines(containing: "DefaultDownloadResponse(").isEmpty }
    }

    private func until(_ what: String, _ condition: () -> Bool) async throws {
        do {
            try await eventually(within: .seconds(60), what) { condition() || !isRunning }
        } catch {
            throw TestingError("\(error)\n\(stdout)\(stderr)")
        }
        guard condition() else { throw TestingError("It has ended before \(what).\n\(stdout)\(stderr)") }
    }
}
