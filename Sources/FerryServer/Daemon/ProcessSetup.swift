// Ferry: FerryServer
// What the daemon sets for its whole process.

import Foundation

/// What the daemon sets for its whole process. The umask stays the user's, since it decides the modes of fetched files.
enum ProcessSetup {
    static func apply() {
        // A peer that is gone is an error of one write, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        raiseOpenFiles()
    }

    /// How many files the process may have open.
    static var openFiles: Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        return Int(clamping: limit.rlim_cur)
    }

    /// Raises the limit of open files to its hard value.
    static func raiseOpenFiles() {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
