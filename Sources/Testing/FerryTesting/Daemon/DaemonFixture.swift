package import FerryClient
import Foundation
package import Glibc
import Synchronization

/// A home for one daemon, a folder for its files, and the real programs `ferry` and `ferryd`.
///
/// Nothing runs until a command or ``startDaemon(_:)`` starts it. The fixture terminates only processes with its own
/// `FERRY_HOME` in their environment, each by its pid.
package final class DaemonFixture: Sendable {
    /// `FERRY_HOME`. Short, because it contains a socket.
    package let home: String
    /// Working folder of the commands, and the folder of downloaded files.
    package let folder: String
    private let root: String
    private let ferry: String
    private let ferryd: String
    private let state = Mutex(State())

    private struct State {
        var children: [ChildProcess] = []
        var started = 0
    }

    package init() throws {
        ferry = try BuiltProgram.ferry.path()
        ferryd = try BuiltProgram.ferryd.path()
        root = "/tmp/fd-\(String(UInt32.random(in: 0 ... .max), radix: 36))"
        home = root + "/home"
        folder = root + "/files"
        for path in [root, home, folder, root + "/io"] {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        }
    }

    // MARK: Commands

    /// Returns the environment of the programs. The test's own variables take precedence.
    package func environment(_ more: [String: String] = [:]) -> [String: String] {
        let inherited = ProcessInfo.processInfo.environment.filter { ["PATH", "HOME", "TMPDIR"].contains($0.key) }
        return inherited.merging(["FERRY_HOME": home, "FERRYD": ferryd, "LANG": "C.UTF-8"]) { $1 }
            .merging(more) { $1 }
    }

    /// Runs `ferry` until it exits.
    package func run(
        _ arguments: [String], environment more: [String: String] = [:], input: String? = nil, in folder: String? = nil
    ) async throws -> CommandResult {
        try await spawn(arguments, environment: more, input: input, in: folder).result()
    }

    /// Starts `ferry`.
    package func spawn(
        _ arguments: [String], environment more: [String: String] = [:], input: String? = nil, in folder: String? = nil
    ) throws -> ChildProcess {
        try start(ferry, arguments, more, input, folder)
    }

    /// Starts an app: `BackgroundTestApp`, or the program at a path.
    package func spawnApp(
        _ arguments: [String], environment more: [String: String] = [:], program: String? = nil,
        in folder: String? = nil
    ) throws -> ChildProcess {
        try start(program ?? BuiltProgram.app.path(), arguments, more, nil, folder)
    }

    /// Starts `ferryd` directly, as a child of the test.
    package func spawnDaemon(environment more: [String: String] = [:]) throws -> ChildProcess {
        try start(ferryd, [], more, nil, nil)
    }

    private func start(
        _ executable: String, _ arguments: [String], _ more: [String: String], _ input: String?, _ folder: String?
    ) throws -> ChildProcess {
        let number = state.withLock { state in
            state.started += 1
            return state.started
        }
        let files = "\(root)/io/\(number)"
        var command = ChildProcess.Command(
            executable, arguments, environment: environment(more), folder: folder ?? self.folder)
        if let input {
            command.input = files + ".in"
            try Data(input.utf8).write(to: URL(filePath: command.input))
        }
        let child = try ChildProcess(command, files: files)
        state.withLock { $0.children.append(child) }
        return child
    }

    // MARK: The daemon

    /// Starts the daemon as a client does, with additional environment variables.
    package func startDaemon(_ more: [String: String] = [:]) async throws {
        let result = try await run(["daemon", "start"], environment: more)
        guard result.status == 0 else { throw TestingError("The daemon does not start: \(result)\n\(log)") }
    }

    /// The pids of this home's `ferryd` processes.
    package var daemons: [pid_t] { processes { $0.hasSuffix("/ferryd") } }

    /// Kills the daemon with SIGKILL, as in a crash, and waits until it has exited.
    package func killDaemon() async throws {
        guard let pid = daemons.first else { throw TestingError("No daemon runs.\n\(log)") }
        _ = Glibc.kill(pid, SIGKILL)
        try await waitForEnd(of: pid)
    }

    /// Terminates the daemon with SIGTERM, as the system does, and waits until it has exited.
    package func terminateDaemon() async throws {
        guard let pid = daemons.first else { throw TestingError("No daemon runs.\n\(log)") }
        _ = Glibc.kill(pid, SIGTERM)
        try await waitForEnd(of: pid)
    }

    /// Waits until no daemon runs, for example after the daemon stops by itself.
    package func waitForNoDaemon() async throws {
        try await eventually("the daemon is not running") { daemons.isEmpty }
    }

    /// The log of this home's daemons.
    package var log: String {
        String(decoding: FileManager.default.contents(atPath: home + "/state/ferryd.log") ?? Data(), as: UTF8.self)
    }

    /// Calls a closure with a client in this process. The client does not start a daemon.
    package func withClient<Result>(_ body: (RemoteTransferService) async throws -> Result) async throws -> Result {
        var configuration = try ClientConfiguration(environment: environment())
        configuration.startsDaemon = false
        let client = RemoteTransferService(configuration)
        do {
            let result = try await body(client)
            await client.shutdown()
            return result
        } catch {
            await client.shutdown()
            throw error
        }
    }

    // MARK: Files

    /// The names of all files in the folder, including hidden ones, sorted.
    package var contents: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }

    /// Returns the path of a file in the folder.
    package func file(_ name: String) -> String { "\(folder)/\(name)" }

    // MARK: Shutdown

    /// Ends all started processes, the last first, and removes the folders.
    package func stop() async {
        for child in state.withLock({ $0.children.reversed() }) where child.isRunning {
            child.send(SIGKILL)
            _ = await child.result()
        }
        for (signal, limit) in [(SIGTERM, Duration.seconds(20)), (SIGKILL, .seconds(20))] {
            for pid in processes({ _ in true }) {
                _ = Glibc.kill(pid, signal)
                try? await waitForEnd(of: pid, within: limit)
            }
        }
        try? FileManager.default.removeItem(atPath: root)
    }

    private func waitForEnd(of pid: pid_t, within limit: Duration = .seconds(30)) async throws {
        try await eventually(within: limit, "process \(pid) has ended") { !isOwn(pid) }
    }

    private func processes(_ isWanted: (String) -> Bool) -> [pid_t] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { pid_t($0) }.filter { pid in
            guard isOwn(pid) else { return false }
            let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/exe")
            return program.map(isWanted) ?? false
        }
    }

    /// Whether a running process has this fixture's home in its environment. A zombie has no environment.
    private func isOwn(_ pid: pid_t) -> Bool {
        guard let variables = FileManager.default.contents(atPath: "/proc/\(pid)/environ") else { return false }
        return variables.split(separator: 0).contains(Data("FERRY_HOME=\(home)".utf8))
    }
}
