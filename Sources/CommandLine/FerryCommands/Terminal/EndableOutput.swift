import Glibc
import Synchronization

/// Writes to a terminal or a pipe, and stops waiting for a slow reader once this process is about to end.
///
/// A write to a full pipe blocks its thread, and with it the command that a signal asks to end.
final class EndableOutput: Sendable {
    /// A pipe that accepts any bytes accepts as many as this without blocking (POSIX `PIPE_BUF`).
    private static let pieceSize = 4096

    /// A pipe that contains a byte once the process is about to end. Without it writes block.
    private let ending = Mutex<(read: CInt, write: CInt)?>(nil)

    /// Makes later writes return when ``end()`` is called.
    func prepare() {
        ending.withLock { ending in
            guard ending == nil else { return }
            var ends: [CInt] = [-1, -1]
            guard unsafe pipe(&ends) == 0 else { return }
            for end in ends {
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
            }
            ending = (ends[0], ends[1])
        }
    }

    /// Stops waiting for readers, because the process is about to end.
    func end() {
        guard let ending = ending.withLock(\.self) else { return }
        var byte: UInt8 = 0
        _ = unsafe Glibc.write(ending.write, &byte, 1)
    }

    /// - Returns: The error number of the write. 0 also for bytes dropped unread.
    func write(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt) -> CInt {
        let ending = ending.withLock(\.self)?.read
        var rest = unsafe bytes
        while unsafe !rest.isEmpty {
            if let ending, !Self.waitForRoom(descriptor, ending) { return 0 }
            let size = ending == nil ? rest.count : min(rest.count, Self.pieceSize)
            let count = unsafe Glibc.write(descriptor, rest.baseAddress, size)
            if count < 0 {
                if errno == EINTR { continue }
                // Another program that shares the terminal or the pipe may have made it non-blocking.
                if errno == EAGAIN || errno == EWOULDBLOCK {
                    guard Self.waitForRoom(descriptor, ending ?? -1) else { return 0 }
                    continue
                }
                return errno
            }
            unsafe rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
        return 0
    }

    /// Waits until the descriptor is writable. Returns false if the process is about to end instead.
    ///
    /// - Parameter ending: A pipe that tells this, or -1 for none.
    private static func waitForRoom(_ descriptor: CInt, _ ending: CInt) -> Bool {
        var polled = [
            pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0),
            pollfd(fd: ending, events: Int16(POLLIN), revents: 0),
        ]
        while unsafe poll(&polled, 2, -1) < 0 {
            guard errno == EINTR else { return true }
        }
        return polled[0].revents != 0
    }
}
