import FerryAPI
package import FerryCore
import FerrySystem
import Foundation

/// The socket's location in the file system. The daemon that uses it holds the ``DaemonLock``.
package struct ControlSocket: Sendable {
    package let path: String

    /// Path at which the socket is created. It is renamed once its mode is set, so that no client finds it earlier. The
    /// name must not exceed the length of the socket's own name, which is limited.
    var nascent: String { path.folderPart + "/ferryd.new" }

    package init(path: String) { self.path = path }

    /// Creates the folder and removes a socket without a listening daemon.
    ///
    /// - Throws: ``ServiceError`` with code `daemon_unreachable` if the path is something else than a socket, or if a
    ///   daemon with another state folder listens there.
    package func prepare() throws(ServiceError) {
        try PrivateFolder.make(path.folderPart)
        guard let found = PathFacts(at: path) else { return }
        let shown = path.escapingControls
        guard found.kind == .socket else {
            throw ServiceError(.daemonUnreachable, "\(shown) is not a socket; move it away.")
        }
        guard !isAnswered() else {
            throw ServiceError(.daemonUnreachable, "A daemon with another state folder answers on \(shown).")
        }
        guard unsafe unlink(path) == 0 || errno == ENOENT else {
            throw .start("The old socket \(shown) cannot be removed")
        }
    }

    /// Restricts the new socket to its owner and gives it its final name.
    ///
    /// - Returns: The identity of the socket's file.
    func secure() throws(ServiceError) -> PathFacts {
        guard unsafe chmod(nascent, 0o600) == 0, let facts = PathFacts(at: nascent) else {
            throw .start("The mode of the socket \(nascent.escapingControls) cannot be set")
        }
        guard unsafe rename(nascent, path) == 0 else {
            throw .start("The socket \(path.escapingControls) cannot be created")
        }
        return facts
    }

    /// Whether the path leads to this socket.
    func isThere(_ facts: PathFacts) -> Bool { PathFacts(at: path)?.isSameFile(as: facts) ?? false }

    /// Removes the socket, unless another one has replaced it.
    func remove(_ facts: PathFacts) {
        if isThere(facts) { _ = unsafe unlink(path) }
    }

    /// Whether a process accepts connections here.
    private func isAnswered() -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let fits = unsafe withUnsafeMutableBytes(of: &address.sun_path) { room in
            guard bytes.count < room.count else { return false }
            unsafe room.copyBytes(from: bytes)
            return true
        }
        guard fits else { return false }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        // SAFETY: every socket address begins as `sockaddr`, and the length given is that of the whole address.
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }
}
