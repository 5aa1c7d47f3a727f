import FerryCore
import Foundation

/// What the daemon sets for its whole process.
enum ProcessSetup {
    /// Keeps new files of the daemon to its user; files that are fetched get their own modes.
    ///
    /// - Returns: the umask that the process was started with, for requests that bring none.
    static func takeUmask() -> FileMask { FileMask(UInt32(umask(0o077))) }

    /// - Throws: ``ServiceError`` if the process may not open as many files as the daemon needs.
    static func apply() throws(ServiceError) {
        // The folder in which the first client happened to be could not be unmounted.
        _ = unsafe chdir("/")
        // A peer that is gone is an error of one write, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        try OpenFiles.raise()
    }
}

/// How many files the daemon may have open, its connections among them.
enum OpenFiles {
    /// What the daemon needs before the first transfer, with room for a few.
    ///
    /// Each event loop has three files, and one that cannot be opened ends the process without a word.
    static func least(cores: Int) -> Int { 64 + 3 * (cores + min(4, cores)) }

    /// How many files the process may have open.
    static var most: Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        return Int(clamping: limit.rlim_cur)
    }

    /// Raises the limit to its hard value.
    ///
    /// - Throws: ``ServiceError`` with code `daemon_unreachable` if that is less than the daemon needs.
    static func raise(cores: Int = ProcessInfo.processInfo.processorCount) throws(ServiceError) {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        guard limit.rlim_max < rlim_t(least(cores: cores)) else { return }
        throw ServiceError(
            .daemonUnreachable,
            "ferryd cannot start: it may open \(limit.rlim_max) files and needs \(least(cores: cores)); "
                + "raise the limit, as with “ulimit -n 1024”, and start it again.")
    }
}
