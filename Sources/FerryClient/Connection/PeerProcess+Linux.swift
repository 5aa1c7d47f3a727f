import Glibc

/// The process at the other end of a socket, as the kernel knows it since that process began to listen (unix(7)).
struct PeerProcess {
    /// 0 for a process that this one cannot see.
    let pid: pid_t
    let user: UInt32

    /// Nil if the system does not say.
    init?(of descriptor: CInt) {
        // The kernel's `struct ucred`, which the C library shows to GNU sources only.
        var credentials: (pid: pid_t, user: UInt32, group: UInt32) = (0, 0, 0)
        var length = socklen_t(MemoryLayout.size(ofValue: credentials))
        guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0,
            length == MemoryLayout.size(ofValue: credentials)
        else { return nil }
        pid = credentials.pid
        user = credentials.user
    }
}
