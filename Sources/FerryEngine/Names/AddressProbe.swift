import NIOCore
import NIOPosix

/// Finds out which of several addresses can be connected to, all of them in a quick sequence (RFC 8305).
enum AddressProbe {
    /// - Returns: the first address that answers; the connection is closed without a byte.
    static func firstAnswering(
        of addresses: [String], port: Int, on loop: any EventLoop, timeout: TimeAmount
    ) -> EventLoopFuture<String> {
        ClientBootstrap(group: loop).connectTimeout(timeout)
            .resolver(KnownAddresses(addresses, port: port, loop: loop))
            .connect(host: addresses.first ?? "", port: port)
            .flatMap { channel -> EventLoopFuture<String> in
                let remote = channel.remoteAddress?.ipAddress
                channel.close(promise: nil)
                guard let address = addresses.first(where: { $0.withoutZone == remote }) else {
                    return loop.makeFailedFuture(ChannelError.inappropriateOperationForState)
                }
                return loop.makeSucceededFuture(address)
            }
    }

    /// Gives the bootstrap addresses that are known.
    private final class KnownAddresses: Resolver, Sendable {
        private let addresses: [SocketAddress]
        private let loop: any EventLoop

        init(_ addresses: [String], port: Int, loop: any EventLoop) {
            self.addresses = addresses.compactMap { try? SocketAddress(ipAddress: $0, port: port) }
            self.loop = loop
        }

        func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
            loop.makeSucceededFuture(addresses.filter { $0.protocol == .inet })
        }

        func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
            loop.makeSucceededFuture(addresses.filter { $0.protocol == .inet6 })
        }

        func cancelQueries() {}
    }
}

extension String {
    /// An IPv6 address without the name of the interface that it is reached by.
    fileprivate var withoutZone: String { prefix { $0 != "%" }.description }
}
