import FerryAPI
package import FerryCore
import Foundation

/// The socket's place in the file system. The daemon that uses it holds the ``DaemonLock``.
package struct ControlSocket: Sendable {
    package let path: String

    /// Where the socket is made. It is renamed once its mode is right, so that no client meets it before; the name is no
    /// longer than the socket's own, whose length is limited.
    var nascent: String { path.folderPart + "/ferryd.new" }

    package init(path: String) { self.path = path }

    /// Makes the folder and removes a socket that no daemon answers on.
    ///
    /// - Throws: ``ServiceError`` with code `daemon_unreachable` if something else is there, or a daemon with
    ///   another state folder answers.
    package func prepare() throws(ServiceError) {
        try PrivateFolder.make(path.folderPart)
        guard let found = PathFacts(at: path) else { return }
        let shown = path.escapingControls
        guard found.kind == .socket else {
            throw ServiceError(.daemonUnreachable, "\(shown) is no socket; move it away.")
        }
        guard !isAnswered() else {
            throw ServiceError(.daemonUnreachable, "A daemon with another state folder answers on \(shown).")
        }
        guard unsafe unlink(path) == 0 || errno == ENOENT else {
            throw .start("The old socket \(shown) cannot be removed")
        }
    }

    /// Lets only the owner connect, gives the new socket its name, and remembers which file this is.
    func secure() throws(ServiceError) -> PathFacts {
        guard unsafe chmod(nascent, 0o600) == 0, let facts = PathFacts(at: nascent) else {
            throw .start("The mode of the socket \(nascent.escapingControls) cannot be set")
        }
        guard unsafe rename(nascent, path) == 0 else {
            throw .start("The socket \(path.escapingControls) cannot be made")
        }
        return facts
    }

    /// Whether the name leads to this socket.
    func isThere(_ facts: PathFacts) -> Bool { PathFacts(at: path)?.isSameFile(as: facts) ?? false }

    /// Removes the socket, unless another one has taken its place.
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
