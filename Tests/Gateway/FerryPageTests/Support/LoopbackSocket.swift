import FerryTesting
import Foundation
import Glibc

/// Blocking connections to programs on this machine.
enum LoopbackSocket {
    /// Returns a connected socket, or `nil` if nothing listens.
    static func connect(port: Int) -> CInt? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let status = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe Glibc.connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if status == 0 { return descriptor }
        close(descriptor)
        return nil
    }

    static func write(_ bytes: Data, to descriptor: CInt) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard sent > 0 else { throw TestingError("The browser closed its connection.") }
            rest = rest.dropFirst(sent)
        }
    }

    /// Returns this many bytes, or what there is if `isPart`.
    static func read(_ count: Int, from descriptor: CInt, isPart: Bool = false) throws -> Data {
        var bytes = Data()
        var buffer = [UInt8](repeating: 0, count: min(count, 1 << 16))
        while bytes.count < count {
            let part = unsafe Glibc.read(descriptor, &buffer, min(buffer.count, count - bytes.count))
            guard part > 0 else { throw TestingError("The browser's answer ended early: \(bytes.count) bytes.") }
            bytes += buffer[..<part]
            if isPart { break }
        }
        return bytes
    }
}
