import FerryTesting
import Foundation
import Glibc
import Synchronization

/// A TCP port of this machine that leads to a server's Unix socket, and that a test cuts as a broken network does.
///
/// After the cut no packet of the client arrives any more, and so none is acknowledged: keepalives neither.
final class CuttablePath: Sendable {
    let port: Int
    private let listener: Int32
    /// The connection's end on this side, or -1.
    private let client = Mutex<Int32>(-1)
    private let isEnded = Atomic(false)

    /// Accepts one connection after the other, until it is ended.
    init(toSocketAt path: String) throws {
        let listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard unsafe bind(listening, address, length) == 0, listen(listening, 1) == 0 else { return Int32(-1) }
                return unsafe getsockname(listening, address, &length)
            }
        }
        guard status == 0 else { throw TestingError("A socket cannot listen: \(errno).") }
        listener = listening
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { while !self.isEnded.load(ordering: .relaxed) { self.forward(to: path) } }
    }

    deinit { close(listener) }

    /// Cuts the connection. Does nothing without one.
    func cut() {
        let client = client.withLock { $0 }
        // A socket filter that accepts zero bytes: packets are dropped before TCP sees them (socket(7)).
        var instruction = (code: UInt16(0x06), jumps: UInt16(0), value: UInt32(0))
        unsafe withUnsafeMutablePointer(to: &instruction) { instruction in
            var program = (length: UInt16(1), instructions: UnsafeMutableRawPointer(instruction))
            let size = unsafe socklen_t(MemoryLayout.size(ofValue: program))
            let status = unsafe setsockopt(client, SOL_SOCKET, SO_ATTACH_FILTER, &program, size)
            precondition(status == 0, "The filter was refused: \(errno).")
        }
    }

    /// Closes the connection.
    func end() {
        isEnded.store(true, ordering: .relaxed)
        _ = shutdown(client.withLock { $0 }, Int32(SHUT_RDWR))
        _ = shutdown(listener, Int32(SHUT_RDWR))
    }

    private func forward(to path: String) {
        let near = accept(listener, nil, nil)
        guard near >= 0 else { return }
        let far = Self.connect(to: path)
        client.withLock { $0 = near }
        var polled = [
            pollfd(fd: near, events: Int16(POLLIN), revents: 0), pollfd(fd: far, events: Int16(POLLIN), revents: 0),
        ]
        while unsafe poll(&polled, 2, -1) > 0 {
            if polled[0].revents != 0, !Self.copy(near, far) { break }
            if polled[1].revents != 0, !Self.copy(far, near) { break }
        }
        client.withLock { $0 = -1 }
        close(near)
        close(far)
    }

    private static func connect(to path: String) -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        _ = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return descriptor
    }

    private static func copy(_ source: Int32, _ sink: Int32) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe read(source, &bytes, bytes.count)
        return unsafe count > 0 && write(sink, &bytes, count) == count
    }
}
