import FerryCore
import FerryFoundation
import Glibc

/// A finished run of a short program.
package struct ProgramRun: Hashable, Sendable {
    package enum End: Hashable, Sendable {
        /// The exit status.
        case exited(Int32)
        /// The number of the signal that ended it.
        case killed(Int32)
        /// It did not end in time, and was killed.
        case late
        /// It could not be started, for the reason of this error number.
        case notStarted(Int32)
    }

    package var end: End
    /// The beginning of what it wrote to standard output and standard error.
    package var output: String

    package init(end: End, output: String = "") {
        self.end = end
        self.output = output
    }

    package var succeeded: Bool { end == .exited(0) }

    /// The first line of its output that is not empty.
    package var firstLine: String? { output.split(whereSeparator: \.isNewline).first.map(String.init) }

    private static let mostOutput = 64 << 10

    /// Runs a program without input. Blocks until it ends.
    ///
    /// - Parameters:
    ///   - words: The program's path, or its name in `PATH`, and its arguments.
    ///   - limit: The time after which it is killed.
    package static func of(
        _ words: [String], environment: [String: String], limit: Duration = .seconds(10)
    ) -> ProgramRun {
        var ends: [CInt] = [-1, -1]
        guard let name = words.first, unsafe pipe(&ends) == 0 else { return ProgramRun(end: .notStarted(errno)) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let reading = ends[0]
        defer { close(reading) }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], 2)
        var pid: pid_t = 0
        let refusal = unsafe withCStrings(words) { arguments in
            unsafe withCStrings(environment.map { "\($0.key)=\($0.value)" }) { variables in
                unsafe posix_spawnp(&pid, name, &actions, nil, arguments, variables)
            }
        }
        close(ends[1])
        guard refusal == 0 else { return ProgramRun(end: .notStarted(refusal)) }
        let deadline = ContinuousClock.now + limit
        var (bytes, isLate) = read(reading, until: deadline)
        var status: CInt = 0
        // It may have closed its output and still run.
        while !isLate, unsafe waitpid(pid, &status, WNOHANG) == 0 {
            isLate = ContinuousClock.now >= deadline
            usleep(2000)
        }
        if isLate {
            kill(pid, SIGKILL)
            while unsafe waitpid(pid, &status, 0) < 0, errno == EINTR {}
        }
        let signal = status & 0x7F
        let end: End = isLate ? .late : signal == 0 ? .exited((status >> 8) & 0xFF) : .killed(signal)
        return ProgramRun(end: end, output: String(decoding: bytes, as: UTF8.self))
    }

    /// Reads until the program has closed its output.
    private static func read(_ pipe: CInt, until end: ContinuousClock.Instant) -> (bytes: [UInt8], isLate: Bool) {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let left = ContinuousClock.now.duration(to: end)
            guard left > .zero else { return (bytes, true) }
            let milliseconds = left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000 + 1
            var wanted = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
            let ready = unsafe poll(&wanted, 1, CInt(clamping: milliseconds))
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { return (bytes, ready == 0) }
            let count = unsafe Glibc.read(pipe, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return (bytes, false) }
            bytes += buffer.prefix(min(count, mostOutput - bytes.count))
        }
    }
}
