import Dispatch
import FerryCore
import FerryFoundation
import Glibc

/// A daemon started by this process.
struct DaemonProcess: Sendable {
    let pid: pid_t
    /// Read end of the pipe on which the daemon reports that it is ready.
    private let pipe: CInt

    /// Starts a daemon in its own session, so that neither Ctrl-C nor the end of a terminal reaches it. Passes it the
    /// required part of an environment.
    static func spawn(
        _ executable: String, environment: [String: String], log: String
    ) throws(ServiceError) -> DaemonProcess {
        let logFile = try LogFile.append(log)
        defer { close(logFile) }
        var ends: [CInt] = [-1, -1]
        guard unsafe Glibc.pipe(&ends) == 0 else { throw failed("a pipe", errno) }
        _ = fcntl(ends[0], F_SETFD, FD_CLOEXEC)
        let write = fcntl(ends[1], F_DUPFD_CLOEXEC, childEnd + 1)
        close(ends[1])
        guard write >= 0 else {
            let code = errno
            close(ends[0])
            throw failed("a pipe", code)
        }
        defer { close(write) }

        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, logFile, 1)
        unsafe posix_spawn_file_actions_adddup2(&actions, logFile, 2)
        unsafe posix_spawn_file_actions_adddup2(&actions, write, childEnd)
        for descriptor in inheritable where descriptor > childEnd {
            unsafe posix_spawn_file_actions_addclose(&actions, descriptor)
        }
        var all = sigset_t()
        var none = sigset_t()
        unsafe sigfillset(&all)
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setflags(
            &attributes, setSession | Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETSIGMASK))

        var variables = DaemonEnvironment.of(environment)
        variables["FERRY_READY_FD"] = String(childEnd)
        var pid: pid_t = 0
        let status = unsafe withCStrings([executable]) { arguments in
            unsafe withCStrings(variables.map { "\($0.key)=\($0.value)" }) { variables in
                unsafe posix_spawn(&pid, executable, &actions, &attributes, arguments, variables)
            }
        }
        guard status == 0 else {
            close(ends[0])
            throw failed(executable.escapingControls, status)
        }
        collect(pid)
        return DaemonProcess(pid: pid, pipe: ends[0])
    }

    /// Reads the daemon's report. Blocks until it arrives or the time has passed. Call it once.
    func report(until end: ContinuousClock.Instant) -> ReadinessReport {
        defer { close(pipe) }
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !text.contains(UInt8(ascii: "\n")) {
            let left = ContinuousClock.now.duration(to: end)
            guard left > .zero else { return .late }
            let milliseconds = left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000 + 1
            var wanted = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
            let ready = unsafe poll(&wanted, 1, CInt(clamping: milliseconds))
            guard ready > 0 else {
                if ready == 0 { return .late }
                if errno == EINTR { continue }
                return .silent
            }
            let count = unsafe read(pipe, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return .silent }
            text += buffer[..<count]
        }
        return ReadinessReport(line: String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }

    /// Reaps the daemon when it ends. Otherwise it would stay a zombie for the lifetime of this process, and programs
    /// that wait for any child would find it again and again.
    private static func collect(_ pid: pid_t) {
        DispatchQueue(label: "ferryd's end").async {
            var status: CInt = 0
            while unsafe waitpid(pid, &status, 0) < 0, errno == EINTR {}
        }
    }

    /// The daemon's descriptor for the pipe: the first after the three standard ones.
    private static let childEnd: CInt = 3

    /// `POSIX_SPAWN_SETSID`, which the C library declares for GNU sources only.
    private static let setSession: Int16 = 0x80

    /// Open descriptors that a started program would inherit unintentionally.
    private static var inheritable: [CInt] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return names.compactMap { CInt($0) }.filter { descriptor in
            let flags = fcntl(descriptor, F_GETFD)
            return flags >= 0 && flags & FD_CLOEXEC == 0
        }
    }

    private static func failed(_ what: String, _ code: CInt) -> ServiceError {
        ServiceError(
            .daemonUnreachable, "The daemon cannot be started: \(what): \(unsafe String(cString: strerror(code))).",
            details: ErrorDetails(errno: code))
    }
}
