import FerryCore
import Foundation

/// Process-wide settings of the daemon.
enum ProcessSetup {
    /// Makes the daemon's new files private to its user. Downloaded files get their own modes.
    ///
    /// - Returns: The umask at process start, used for requests without one.
    static func takeUmask() -> FileMask { FileMask(UInt32(umask(0o077))) }

    /// - Throws: ``ServiceError`` if the process may not open as many files as the daemon needs.
    static func apply() throws(ServiceError) {
        // Otherwise the first client's working directory could not be unmounted.
        _ = unsafe chdir("/")
        // A write to a disconnected peer must fail instead of ending the process.
        signal(SIGPIPE, SIG_IGN)
        try OpenFiles.raise()
    }
}

/// The daemon's limit on open files, including connections.
enum OpenFiles {
    /// Returns the number of files that the daemon needs before the first transfer, and for a few transfers.
    ///
    /// Each event loop has three files. If one cannot be opened, the process ends without a message.
    static func least(cores: Int) -> Int { 64 + 3 * (cores + min(4, cores)) }

    /// Maximum number of files that the process may have open.
    static var most: Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        return Int(clamping: limit.rlim_cur)
    }

    /// Raises the limit to its hard value.
    ///
    /// - Throws: ``ServiceError`` with code `daemon_unreachable` if the hard limit is less than the daemon needs.
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
