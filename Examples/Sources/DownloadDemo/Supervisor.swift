// Sets up the terminal, and restarts the list after it was killed.

import Foundation

/// The terminal's process. It makes the terminal send single keys, and restarts the list after each kill. The downloads
/// need neither process.
enum Supervisor {
    private static let variable = "DOWNLOAD_DEMO_SUPERVISED"

    /// Whether this process should supervise another one: it has a terminal and no supervisor yet.
    static var isWanted: Bool { hasTerminal && ProcessInfo.processInfo.environment[variable] == nil }

    static var hasTerminal: Bool { isatty(0) == 1 && isatty(1) == 1 }

    /// Runs the list until it exits by itself.
    ///
    /// - Returns: The exit status.
    static func run() -> Int32 {
        var usual = termios()
        tcgetattr(0, &usual)
        defer {
            tcsetattr(0, TCSAFLUSH, &usual)
            write("\u{1B}[?25h\u{1B}[0m\u{1B}[2J\u{1B}[H")
        }
        var byKey = usual
        byKey.c_lflag &= ~tcflag_t(ICANON | ECHO)
        setenv(variable, "\(getpid())", 1)
        var words = CommandLine.arguments
        while true {
            tcsetattr(0, TCSAFLUSH, &byKey)
            var status: Int32 = 0
            guard let child = spawn(words) else { return 1 }
            // The addresses are already in the list, and may be paused.
            words = Array(words.prefix(2))
            while waitpid(child, &status, 0) < 0, errno == EINTR {}
            let signal = status & 0x7F
            guard signal == SIGKILL else { return signal == 0 ? (status >> 8) & 0xFF : 128 + signal }
            write(
                "\u{1B}[0m\u{1B}[2J\u{1B}[HProcess \(child) was killed with SIGKILL. ferryd goes on with the downloads…\r\n"
            )
            sleep(2)
        }
    }

    /// Starts this program again.
    private static func spawn(_ arguments: [String]) -> pid_t? {
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var child: pid_t = 0
        let path = Bundle.main.executablePath ?? CommandLine.arguments[0]
        return posix_spawn(&child, path, nil, nil, &words, environ) == 0 ? child : nil
    }

    private static func write(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }
}
