import Glibc
import Synchronization

/// Writes to a terminal or a pipe, and gives up on a reader who does not read once this process is to end.
///
/// A write to a full pipe blocks the thread that it is made on, and with it the command that a signal asks to end.
final class EndableOutput: Sendable {
    /// A pipe takes so many bytes without blocking if it takes any (POSIX `PIPE_BUF`).
    private static let pieceSize = 4096

    /// The two ends of a pipe that holds a byte once the process is to end; without it writes block.
    private let ending = Mutex<(read: CInt, write: CInt)?>(nil)

    /// Makes later writes end when ``end()`` is called.
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

    /// The process is to end: from here on nothing is written to a reader who does not read.
    func end() {
        guard let ending = ending.withLock(\.self) else { return }
        var byte: UInt8 = 0
        _ = unsafe Glibc.write(ending.write, &byte, 1)
    }

    /// - Returns: the number of the error that the writing ended with; 0 also for bytes that are dropped unread.
    func write(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt) -> CInt {
        let ending = ending.withLock(\.self)?.read
        var rest = unsafe bytes
        while unsafe !rest.isEmpty {
            if let ending, !Self.waitForRoom(descriptor, ending) { return 0 }
            let size = ending == nil ? rest.count : min(rest.count, Self.pieceSize)
            let count = unsafe Glibc.write(descriptor, rest.baseAddress, size)
            if count < 0 {
                if errno == EINTR { continue }
                return errno
            }
            unsafe rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
        return 0
    }

    /// Returns once there is room, or the process is to end and there is none, which is false.
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
