package import FerryCore
import FerryFoundation
import Glibc

/// Linux facts about this process, the daemon and its files.
extension DaemonProcess {
    /// Absolute path of the program running in this process.
    static var runningProgram: String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    }

    /// Returns the error number with which the system would refuse to run a file, or `nil` for an executable program
    /// (execve(2)).
    static func refusal(_ path: String) -> CInt? {
        var facts = stat()
        guard unsafe stat(path, &facts) == 0 else { return errno }
        guard facts.st_mode & S_IFMT == S_IFREG else { return EACCES }
        return unsafe access(path, X_OK) == 0 ? nil : errno
    }

    /// Whether a process holds a lock on this file.
    ///
    /// Reads the system's lock table: trying to lock could make another daemon's start fail.
    static func isLocked(_ path: String) -> Bool { !lockLines(path).isEmpty }

    /// Returns the process that holds the lock of a daemon's state folder, if the lock file and the system name the
    /// same process.
    static func lockHolder(_ path: String) -> pid_t? {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8),
            let pid = pid_t(text.prefix { $0 != "\n" }), pid > 0,
            lockLines(path).contains(where: { $0.contains(Substring("\(pid)")) })
        else { return nil }
        return pid
    }

    /// Returns the lines of the system's lock table that may refer to this file, split into words. The table has
    /// numbers and no names.
    private static func lockLines(_ path: String) -> [[Substring]] {
        var facts = stat()
        guard unsafe stat(path, &facts) == 0, let table = try? String(contentsOfFile: "/proc/locks", encoding: .utf8)
        else { return [] }
        return table.split(separator: "\n").map { $0.split(separator: " ") }.filter { words in
            words.contains { $0.hasSuffix(":\(facts.st_ino)") && $0.count { $0 == ":" } == 2 }
        }
    }

    /// Whether a process exists and has not ended.
    static func isAlive(_ pid: pid_t) -> Bool {
        guard exists(pid) else { return false }
        guard let line = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
            let name = line.lastIndex(of: ")")
        else {
            // A zombie may have been reaped since. Without `/proc`, existence is the only criterion.
            return exists(pid)
        }
        // The state follows the name in parentheses. A zombie has ended and waits to be reaped.
        let state = line[line.index(after: name)...].split(separator: " ").first
        return state != "Z" && state != "X"
    }

    private static func exists(_ pid: pid_t) -> Bool { kill(pid, 0) == 0 || errno == EPERM }

    /// Replaces this process with the daemon. Returns only on failure, with the error number.
    static func become(_ executable: String, _ arguments: [String]) -> CInt {
        var copies = unsafe ([executable] + arguments).map { unsafe strdup($0) } + [nil]
        unsafe execv(executable, &copies)
        return errno
    }
}

extension FileMask {
    /// This process's current umask.
    package static var ofProcess: FileMask {
        let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        return status.flatMap { FileMask(processStatus: $0) } ?? .usual
    }
}
