// Ferry: FerryTesting
// The end of a connection below TLS.

import Glibc
import NIOCore

/// Ends a connection below TLS: with FIN and no close_notify, or with RST.
///
/// Stands nearest to the socket, so that what it does passes no other handler.
final class RawConnection: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func close() {
        context?.close(promise: nil)
    }

    /// Sends RST once the peer's kernel has acknowledged all that was written.
    ///
    /// A reset throws away what the sending kernel still holds; without the wait the peer would get fewer bytes than
    /// the script says. The number of tries bounds the wait for a peer that does not read.
    func reset(triesLeft: Int = 5000) {
        guard let context, let provider = context.channel as? any SocketOptionProvider else { return }
        let information: EventLoopFuture<TCPInformation> = provider.unsafeGetSocketOption(level: .tcp, name: .tcp_info)
        information.assumeIsolated().whenComplete { result in
            if triesLeft > 0, case .success(let information) = result, !information.isDrained {
                context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(1)) {
                    self.reset(triesLeft: triesLeft - 1)
                }
                return
            }
            // A linger time of 0 makes the kernel send RST in place of FIN.
            provider.setSoLinger(linger(l_onoff: 1, l_linger: 0)).assumeIsolated().whenComplete { _ in self.close() }
        }
    }
}

/// The start of Linux' `struct tcp_info`, as far as its count of bytes not sent.
private struct TCPInformation: Sendable {
    /// Eight single bytes: state, options and the like.
    private var flags: UInt64 = 0
    /// `tcpi_rto` to `tcpi_notsent_bytes`.
    private var words = InlineArray<35, UInt32>(repeating: 0)

    /// Whether the peer's kernel has everything: no segment unacknowledged, no byte unsent.
    var isDrained: Bool { words[4] == 0 && words[34] == 0 }
}
