import NIOCore
import NIOPosix

/// Finds a reachable address among several by connecting to all of them in quick succession (RFC 8305).
enum AddressProbe {
    /// - Returns: The first address that accepts a connection. The connection is closed without sending a byte.
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

    /// A resolver that returns known addresses.
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
    /// An IPv6 address without its zone (interface name).
    fileprivate var withoutZone: String { prefix { $0 != "%" }.description }
}
