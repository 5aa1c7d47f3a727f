// Ferry: FerryTesting
// A port on which nobody listens, and which nobody else gets.

import Foundation

/// Holds a port of 127.0.0.1 without listening: connections to it are refused, and no other test is given it meanwhile.
final class PortKeeper: Sendable {
    private let descriptor: CInt

    init(port: Int) {
        descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var yes: CInt = 1
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                _ = unsafe bind(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    deinit { close(descriptor) }
}
