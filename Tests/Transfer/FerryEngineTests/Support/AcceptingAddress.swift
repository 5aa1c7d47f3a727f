import FerryTesting
import Foundation

/// A local address that accepts connections and never responds, or resets them.
final class AcceptingAddress: Sendable {
    enum Behavior: CaseIterable {
        case silent
        case resets
    }

    private let listener: Int32

    /// - Parameter address: An IPv6 address.
    init(_ address: String, port: Int, _ behavior: Behavior) throws {
        var place = sockaddr_in6()
        place.sin6_family = sa_family_t(AF_INET6)
        place.sin6_port = in_port_t(port).bigEndian
        guard unsafe inet_pton(AF_INET6, address, &place.sin6_addr) == 1 else { throw TestingError("no address") }
        listener = Foundation.socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
        let length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let isBound = unsafe withUnsafePointer(to: &place) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(listener, $0, length) == 0 }
        }
        guard isBound, listen(listener, 64) == 0 else { throw TestingError("\(address) cannot be listened at") }
        // The kernel accepts connections for the silent address.
        guard behavior == .resets else { return }
        Thread.detachNewThread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                var linger = Foundation.linger(l_onoff: 1, l_linger: 0)
                _ = unsafe setsockopt(
                    client, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Foundation.linger>.size))
                _ = Foundation.close(client)
            }
        }
    }

    func close() {
        _ = shutdown(listener, Int32(SHUT_RDWR))
        _ = Foundation.close(listener)
    }
}
