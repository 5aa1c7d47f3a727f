import FerryCore
import Foundation

/// The program of an app that is launched for its events. The process starts without a shell and in its own session.
/// Where systemd runs for the user it also gets its own scope, so that it does not end with the daemon.
package struct ProgramStart: Sendable {
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
