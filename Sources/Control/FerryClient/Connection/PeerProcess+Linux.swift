import Glibc

/// The process at the other end of a socket, as recorded by the kernel when it began to listen (unix(7)).
struct PeerProcess {
    /// The process id, 0 if the process is not visible from this one.
    let pid: pid_t
    let user: UInt32

    /// Returns `nil` if the system does not report the process.
    init?(of descriptor: CInt) {
        // The kernel's `struct ucred`, which the C library declares for GNU sources only.
        var credentials: (pid: pid_t, user: UInt32, group: UInt32) = (0, 0, 0)
        var length = socklen_t(MemoryLayout.size(ofValue: credentials))
        guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0,
            length == MemoryLayout.size(ofValue: credentials)
        else { return nil }
        pid = credentials.pid
        user = credentials.user
    }
}
