import FerryTesting
import Foundation
import Glibc

/// A process of `FerryTestApp` that accepts commands while it runs.
final class AppProcess: Sendable {
    private let child: ChildProcess
    private let pipe: FileHandle
    private let storyFile: String

    /// - Parameter files: Path prefix for the pipe and the program's output.
    init(_ arguments: [String], environment: [String: String], files: String) throws {
        let path = files + ".in"
        guard unsafe mkfifo(path, 0o600) == 0 else { throw TestingError("\(path) is not made: \(errno)") }
        // Opened for both directions, so that neither side blocks.
        guard let pipe = FileHandle(forUpdatingAtPath: path) else { throw TestingError("\(path) is not opened.") }
        self.pipe = pipe
        storyFile = environment["EVENTS"] ?? files + ".out"
        var command = ChildProcess.Command(
            try BuiltProgram.managerApp.path(), arguments, environment: environment, folder: "/")
        command.input = path
        child = try ChildProcess(command, files: files)
    }

    var isRunning: Bool { child.isRunning }

    /// Sends commands to the app, one per line.
    func send(_ commands: String...) {
        pipe.write(Data(commands.map { $0 + "\n" }.joined().utf8))
    }

    func signal(_ number: Int32) { child.send(number) }

    /// The lines written by the process, in order.
    var story: [String] {
        String(decoding: FileManager.default.contents(atPath: storyFile) ?? Data(), as: UTF8.self)
            .split(separator: "\n").map(String.init)
    }

    func lines(_ beginning: String) -> [String] { story.filter { $0.hasPrefix(beginning) } }

    /// Waits for a line with this prefix and returns it.
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

    /// Sends commands and waits for a later line with this prefix.
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

    /// Kills the process, as a crash would, and waits for its end.
    func kill() async {
        child.send(SIGKILL)
        _ = await child.result()
    }

    /// Waits for the process to exit and returns its exit status.
    func end() async -> Int32 { await child.result().status }
}
