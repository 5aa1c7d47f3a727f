// Ferry: FerryClient
// What Linux says about the daemon and its files.

import Foundation
import Glibc

extension DaemonProcess {
    /// Absolute path of the program that this process runs.
    static var runningProgram: String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    }

    static func isExecutable(_ path: String) -> Bool {
        var facts = stat()
        guard unsafe stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return false }
        return unsafe access(path, X_OK) == 0
    }

    /// Whether a process holds a lock on this file.
    ///
    /// Reads the system's table: trying the lock could make the start of another daemon fail.
    static func isLocked(_ path: String) -> Bool {
        var facts = stat()
        guard unsafe stat(path, &facts) == 0, let table = try? String(contentsOfFile: "/proc/locks", encoding: .utf8)
        else {
            return false
        }
        return table.split(separator: "\n").contains { line in
            let words = line.split(separator: " ")
            return words.contains { $0.hasSuffix(":\(facts.st_ino)") && $0.count { $0 == ":" } == 2 }
        }
    }

    /// Whether a process is there and has not ended.
    static func isAlive(_ pid: pid_t) -> Bool {
        guard kill(pid, 0) == 0 || errno == EPERM else { return false }
        guard let line = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
            let name = line.lastIndex(of: ")")
        else { return true }
        // The state follows the name in parentheses; a zombie has ended and waits to be collected.
        return line[line.index(after: name)...].split(separator: " ").first != "Z"
    }

    /// Puts the daemon in the place of this process; returns only if that fails, with the error's number.
    static func become(_ executable: String, _ arguments: [String]) -> CInt {
        var copies = unsafe ([executable] + arguments).map { unsafe strdup($0) } + [nil]
        unsafe execv(executable, &copies)
        return errno
    }
}
