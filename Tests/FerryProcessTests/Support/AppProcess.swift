import FerryTesting
import Foundation
import Glibc

/// A process of `FerryTestApp` that takes commands while it runs.
final class AppProcess: Sendable {
    private let child: ChildProcess
    private let pipe: FileHandle
    private let storyFile: String

    /// - Parameter files: The path before the names of the pipe and of what the program writes.
    init(_ arguments: [String], environment: [String: String], files: String) throws {
        let path = files + ".in"
        guard unsafe mkfifo(path, 0o600) == 0 else { throw TestingError("\(path) is not made: \(errno)") }
        // Open for both directions, so that neither side waits for the other.
        guard let pipe = FileHandle(forUpdatingAtPath: path) else { throw TestingError("\(path) is not opened.") }
        self.pipe = pipe
        storyFile = environment["EVENTS"] ?? files + ".out"
        var command = ChildProcess.Command(
            try BuiltProgram.managerApp.path(), arguments, environment: environment, folder: "/")
        command.input = path
        child = try ChildProcess(command, files: files)
    }

    var isRunning: Bool { child.isRunning }

    /// Tells the app what to do, one command after the other.
    func send(_ commands: String...) {
        pipe.write(Data(commands.map { $0 + "\n" }.joined().utf8))
    }

    func signal(_ number: Int32) { child.send(number) }

    /// What the process has written, in order.
    var story: [String] {
        String(decoding: FileManager.default.contents(atPath: storyFile) ?? Data(), as: UTF8.self)
            .split(separator: "\n").map(String.init)
    }

    func lines(_ beginning: String) -> [String] { story.filter { $0.hasPrefix(beginning) } }

    /// Returns once a line with this beginning is there; gives the line.
    @discardableResult
    func line(_ beginning: String, count: Int = 1) async throws -> String {
        do {
            try await eventually(within: .seconds(60)) { lines(beginning).count >= count || !isRunning }
        } catch is TestingError {
            throw TestingError("“\(beginning)” is not told \(count) times; told: \(story)")
        }
        let found = lines(beginning)
        guard found.count >= count else {
            throw TestingError("“\(beginning)” is not told \(count) times by a process that has ended; told: \(story)")
        }
        return found[count - 1]
    }

    /// Sends commands and returns once a line with this beginning follows.
    @discardableResult
    func ask(_ commands: String..., until beginning: String) async throws -> String {
        let before = lines(beginning).count
        pipe.write(Data(commands.map { $0 + "\n" }.joined().utf8))
        do {
            return try await line(beginning, count: before + 1)
        } catch let error as TestingError {
            throw TestingError("\(error); told: \(story); \(child.stderr)")
        }
    }

    /// Ends the process as a crash does, and returns once it is gone.
    func kill() async {
        child.send(SIGKILL)
        _ = await child.result()
    }

    /// Returns once the process has ended; gives its exit status.
    func end() async -> Int32 { await child.result().status }
}
