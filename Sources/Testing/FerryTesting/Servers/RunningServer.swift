import Foundation
import Glibc

/// A running server. It ends together with the tests, and its folder is removed then.
struct RunningServer: Sendable {
    let process: ChildProcess
    /// The writing end of a named pipe. Once it is closed, even by the death of the tests, the server is stopped.
    private let lifeline: Int32
    private let files: TemporaryFolder

    /// - Parameters:
    ///   - command: The program and its arguments. It runs as the user `postgres` if the tests run as root.
    ///   - folder: The server's folder. It is removed if the tests end before the server.
    ///   - environment: More variables of its environment.
    init(_ command: [String], folder: TemporaryFolder, environment: [String: String] = [:]) throws {
        files = try TemporaryFolder()
        let pipe = files.file("lifeline")
        guard unsafe mkfifo(pipe, 0o600) == 0 else { throw TestingError("A pipe cannot be made: \(errno).") }
        lifeline = unsafe open(pipe, O_RDWR | O_CLOEXEC)
        // The shell becomes the server. Its child process reads a signal's name from the pipe and sends that signal.
        // At the pipe's end it sends SIGINT, waits at most 30 s for the server's exit and removes the folder.
        let afterTests = #"""
            kill -s INT $$; for _ in $(seq 300); do kill -s 0 $$ || break; sleep 0.1; done; rm -rf "$folder"
            """#
        let waiting = #"""
            ({ if read -r signal; then kill -s "$signal" $$; else \#(afterTests); fi; } <&3 2>/dev/null &)
            """#
        let script = #"folder=$1; shift; exec 3<&0 </dev/null; \#(waiting); exec 3<&-; exec "$@""#
        var words = ["/bin/sh", "-c", script, "sh", folder.path, "/usr/bin/env"]
        // For the server alone, and not for what starts it as another user.
        words += environment.map { "\($0.key)=\($0.value)" } + command
        // PostgreSQL and its poolers refuse to run as root.
        if getuid() == 0 {
            words = ["/usr/bin/setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] + words
        }
        var child = ChildProcess.Command(
            words[0], Array(words.dropFirst()),
            environment: ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"], folder: "/")
        child.input = pipe
        process = try ChildProcess(child, files: files.file("server"))
    }

    /// Sends a signal and waits until the server has exited.
    func end(with signal: String) async {
        let line = Array((signal + "\n").utf8)
        _ = unsafe write(lifeline, line, line.count)
        _ = await process.result()
        close(lifeline)
        files.remove()
    }
}
