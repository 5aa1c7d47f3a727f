import Dispatch
import FerryCore
import Foundation
package import Glibc
import Synchronization

/// A process started by a test. Its output is written to two files, which can be read while it runs.
package final class ChildProcess: Sendable {
    /// The program to start, with its arguments and environment.
    package struct Command: Sendable {
        package var executable: String
        package var arguments: [String]
        package var environment: [String: String]
        package var folder: String
        /// The file for standard input.
        package var input = "/dev/null"

        package init(_ executable: String, _ arguments: [String], environment: [String: String], folder: String) {
            self.executable = executable
            self.arguments = arguments
            self.environment = environment
            self.folder = folder
        }
    }

    package let pid: pid_t
    private let outputFile: String
    private let errorFile: String
    private let hasEnded: Mutex<Bool>
    private let end: Task<Int32, Never>

    /// - Parameter files: Path of the output files, without the suffixes `.out` and `.err`.
    package init(_ command: Command, files: String) throws {
        let (out, err) = (files + ".out", files + ".err")
        let pid = try Self.spawn(command, out, err)
        (outputFile, errorFile) = (out, err)
        self.pid = pid
        let (ends, continuation) = AsyncStream<Int32>.makeStream()
        hasEnded = Mutex(false)
        end = Task(name: "end of \(pid)") {
            for await status in ends { return status }
            return -1
        }
        // Waiting blocks a thread, so it uses the global queue, which adds threads as needed.
        DispatchQueue.global().async { [self] in
            var facts = unsafe siginfo_t()
            // WNOWAIT leaves the process a zombie, so that its pid is not reused while signals may be sent.
            while unsafe waitid(P_PID, id_t(pid), &facts, WEXITED | WNOWAIT) != 0, errno == EINTR {}
            var status: Int32 = 0
            hasEnded.withLock { hasEnded in
                hasEnded = true
                unsafe waitpid(pid, &status, 0)
            }
            let signal = status & 0x7f
            continuation.yield(signal == 0 ? (status >> 8) & 0xff : 128 + signal)
        }
    }

    /// Standard output so far.
    package var stdout: String { Self.text(outputFile) }
    /// Standard error so far.
    package var stderr: String { Self.text(errorFile) }

    package var isRunning: Bool { hasEnded.withLock { !$0 } }

    /// Sends a signal. Does nothing once the process has exited.
    package func send(_ signal: Int32) {
        hasEnded.withLock { hasEnded in
            if !hasEnded { _ = Glibc.kill(pid, signal) }
        }
    }

    /// Waits until the process has exited.
    package func result() async -> CommandResult {
        let status = await end.value
        return CommandResult(status: status, stdout: stdout, stderr: stderr)
    }

    private static func text(_ path: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    }

    private static func spawn(_ command: Command, _ out: String, _ err: String) throws -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, command.input, O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, 1, out, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        unsafe posix_spawn_file_actions_addopen(&actions, 2, err, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        var all = sigset_t()
        var none = sigset_t()
        unsafe sigfillset(&all)
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETSIGMASK))
        var pid: pid_t = 0
        // `env` changes the folder and then executes the program with the same pid. Glibc's module does not expose the
        // file action for it.
        let words = [launcher, "--chdir=" + command.folder, command.executable] + command.arguments
        let status = unsafe withCStrings(words) { arguments in
            unsafe withCStrings(command.environment.map { "\($0.key)=\($0.value)" }) { variables in
                unsafe posix_spawn(&pid, launcher, &actions, &attributes, arguments, variables)
            }
        }
        guard status == 0 else {
            throw TestingError("\(command.executable) cannot be started: \(unsafe String(cString: strerror(status)))")
        }
        return pid
    }

    private static let launcher = "/usr/bin/env"
}

/// A program's exit status and output.
package struct CommandResult: Equatable, Sendable, CustomStringConvertible {
    /// The exit status, or 128 plus the signal's number if a signal terminated the program.
    package var status: Int32
    package var stdout: String
    package var stderr: String

    package init(status: Int32, stdout: String, stderr: String) {
        self.status = status
        self.stdout = stdout
        self.stderr = stderr
    }

    /// The lines of standard output.
    package var lines: [String] { stdout.split(separator: "\n").map(String.init) }

    /// Decodes standard output as one JSON value.
    package func json<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try JSONDecoder().decode(type, from: Data(stdout.utf8))
    }

    package var description: String { "status \(status)\nstdout: \(stdout)\nstderr: \(stderr)" }
}
