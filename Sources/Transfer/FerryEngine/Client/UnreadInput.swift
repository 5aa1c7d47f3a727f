import Glibc
import NIOCore

/// Whether a connection can take another request.
extension Channel {
    /// Whether the socket holds anything that the connection has not read: bytes, the peer's end, or an error.
    ///
    /// Nothing is due on a connection without a request. What has arrived there is not the response to the next one, so
    /// the connection must not carry it. Call this on the event loop.
    var hasUnreadInput: Bool {
        let found = try? pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
            socket -> Bool in
            var byte: UInt8 = 0
            // Anything but "it would block" is unread: 0 is the peer's end.
            let count = unsafe recv(socket, &byte, 1, CInt(MSG_PEEK) | CInt(MSG_DONTWAIT))
            return count >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK)
        }
        // A channel without a socket is one of a test.
        return found ?? false
    }
}
