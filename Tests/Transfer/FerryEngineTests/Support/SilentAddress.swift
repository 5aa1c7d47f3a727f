import FerryTesting
import Foundation

/// A local address that drops connection requests because its listen queue is full.
final class SilentAddress {
    private var sockets: [Int32] = []

    init(_ address: String, port: Int) throws {
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = in_port_t(port).bigEndian
        guard unsafe inet_pton(AF_INET, address, &place.sin_addr) == 1 else { throw TestingError("no address") }
        let listener = try socket()
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = unsafe withUnsafePointer(to: &place) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(listener, $0, length) == 0 }
        }
        guard isBound, listen(listener, 0) == 0 else { throw TestingError("\(address) cannot be listened at") }
        // A queue of length 0 accepts one connection. Further ones get no reply.
        for _ in 0..<4 {
            let client = try socket()
            _ = unsafe withUnsafePointer(to: &place) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe connect(client, $0, length) }
            }
        }
    }

    private func socket() throws -> Int32 {
        let descriptor = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { throw TestingError("no socket") }
        sockets.append(descriptor)
        return descriptor
    }

    func close() {
        for descriptor in sockets { _ = Foundation.close(descriptor) }
        sockets = []
    }
}
