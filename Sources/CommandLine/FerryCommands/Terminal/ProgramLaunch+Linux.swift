import FerryCore
import Glibc

/// Starts desktop programs that outlive this process.
enum ProgramLaunch {
    /// Starts a program found in `PATH`, in its own session and without a terminal.
    ///
    /// - Returns: Whether it was started.
    @Sendable static func start(_ words: [String]) -> Bool {
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
            unsafe posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0)
        }
        // POSIX_SPAWN_SETSID, which is missing from Glibc's module.
        unsafe posix_spawnattr_setflags(&attributes, 0x80)
        var pid: pid_t = 0
        return unsafe withCStrings(words) { arguments in
            unsafe posix_spawnp(&pid, words[0], &actions, &attributes, arguments, environ) == 0
        }
    }
}
