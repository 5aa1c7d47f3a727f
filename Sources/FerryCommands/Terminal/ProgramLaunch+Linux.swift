import FerryCore
import Glibc

/// Starts programs of the desktop, which go on without this process.
enum ProgramLaunch {
    /// Starts a program that is looked for in `PATH`, in a session of its own and without a terminal.
    ///
    /// - Returns: whether it was started.
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
        // POSIX_SPAWN_SETSID, which Glibc's module does not show.
        unsafe posix_spawnattr_setflags(&attributes, 0x80)
        var pid: pid_t = 0
        return unsafe withCStrings(words) { arguments in
            unsafe posix_spawnp(&pid, words[0], &actions, &attributes, arguments, environ) == 0
        }
    }
}
