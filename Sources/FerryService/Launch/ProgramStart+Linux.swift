import CFerrySystem
import FerryCore
import FerryEngine
import Foundation

/// Launches an app for its events. The process starts without a shell and in its own session. Where systemd runs for
/// the user it also gets its own scope, so that it does not end with the daemon.
struct ProgramStart {
    let arguments: [String]
    let folder: String
    let environment: [String: String]
    let umask: FileMask

    /// Daemon variables that are meaningless or misleading for another process.
    private static let unsuitable: Set = [
        "FERRY_READY_FD", "FERRY_KILL_AT", "NOTIFY_SOCKET", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES",
        "INVOCATION_ID", "JOURNAL_STREAM", "MAINPID", "WATCHDOG_USEC", "WATCHDOG_PID",
    ]

    init(
        _ command: LaunchCommand, application: String, session: String, environment: [String: String], umask: FileMask
    ) {
        let scope = Self.scope(environment, exists: FileManager.default.isExecutableFile)
        arguments = scope + command.arguments
        self.umask = umask
        folder = command.workingFolder ?? environment["HOME"] ?? "/"
        self.environment = environment.filter { !Self.unsuitable.contains($0.key) }
            .merging(["FERRY_APPLICATION_ID": application]) { $1 }
            .merging(command.environment) { $1 }
            .merging(["FERRY_BACKGROUND_SESSION": session]) { $1 }
    }

    /// Returns the command prefix that creates a scope. Empty where no systemd runs for the user.
    static func scope(_ environment: [String: String], exists: (String) -> Bool) -> [String] {
        guard let folder = environment["XDG_RUNTIME_DIR"], !folder.isEmpty,
            FileManager.default.fileExists(atPath: folder + "/systemd/private"),
            let program = ["/usr/bin/systemd-run", "/bin/systemd-run"].first(where: exists)
        else { return [] }
        return [program, "--user", "--scope", "--quiet", "--collect", "--"]
    }

    /// Starts the program. Blocks while its folder does not respond.
    ///
    /// - Returns: The process id, which the caller must ``watch(_:ended:)``.
    /// - Throws: ``ServiceError`` with code `invalid_request` if the program cannot be started.
    func run() throws(ServiceError) -> Int32 {
        var process: pid_t = 0
        let status = unsafe withCStrings(arguments) { arguments in
            unsafe withCStrings(environment.map { "\($0.key)=\($0.value)" }) { variables in
                unsafe ferry_spawn(&process, arguments, variables, folder, umask.bits)
            }
        }
        guard status == 0 else {
            throw ServiceError(
                .invalidRequest,
                "\(arguments[0].escapingControls) cannot be started: \(unsafe String(cString: strerror(status))).",
                details: ErrorDetails(errno: status))
        }
        return process
    }

    /// Waits for a process started here to exit.
    ///
    /// - Parameter ended: Called once the process has exited, on any thread.
    static func watch(_ process: Int32, ended: @escaping @Sendable (Int32) -> Void) {
        // Blocks as long as the app runs.
        let isWatched = BlockingThread.start {
            var status: Int32 = 0
            while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
            ended(process)
        }
        guard !isWatched else { return }
        // No thread is available: poll the process instead.
        Task(name: "end of process \(process)") {
            var status: Int32 = 0
            while unsafe waitpid(process, &status, WNOHANG) == 0 { try? await Task.sleep(for: .seconds(1)) }
            ended(process)
        }
    }
}

/// Checking a launch command.
extension LaunchCommand {
    /// - Throws: ``ServiceError`` with code `invalid_request` unless the program is the absolute path of an executable
    ///   file.
    func check() throws(ServiceError) {
        guard let program = arguments.first, program.hasPrefix("/") else {
            throw ServiceError(.invalidRequest, "A launch command begins with the absolute path of a program.")
        }
        var facts = stat()
        guard unsafe stat(program, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, unsafe access(program, X_OK) == 0
        else {
            throw ServiceError(.invalidRequest, "\(program.escapingControls) is not an executable program.")
        }
        if let workingFolder, !workingFolder.hasPrefix("/") {
            throw ServiceError(.invalidRequest, "The working folder of an app must be an absolute path.")
        }
        let texts = arguments + environment.flatMap { [$0, $1] } + [workingFolder ?? ""]
        guard !texts.contains(where: { $0.utf8.contains(0) }), !environment.keys.contains(where: { $0.contains("=") })
        else {
            throw ServiceError(.invalidRequest, "A launch command has no zero bytes, and its variables no “=”.")
        }
    }
}
