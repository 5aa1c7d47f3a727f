import Foundation
import NIOCore

/// Detects connections from programs of this process's own user on this machine.
///
/// Such a program may read the gateway's secret from its file, so it receives events without presenting it.
enum LocalPeer {
    /// Whether the peer of a TCP connection is a program of this user. False if the system does not report the user.
    static func isOwn(_ channel: any Channel) -> Bool {
        guard let remote = channel.remoteAddress, let local = channel.localAddress else { return false }
        let table: String
        switch remote {
        case .v4: table = "/proc/net/tcp"
        case .v6: table = "/proc/net/tcp6"
        case .unixDomainSocket: return false
        }
        guard let there = entry(remote), let here = entry(local) else { return false }
        // If the table changes during the read, an existing entry may be missing.
        for _ in 0..<4 {
            if let owner = owner(of: there, to: here, in: contents(of: table)) { return owner == getuid() }
        }
        return false
    }

    /// Returns the text of a `/proc` file. It has no size, and each read returns a page or less.
    static func contents(of path: String) -> String {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = unsafe read(descriptor, &room, room.count)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += room[..<count]
        }
    }

    /// Returns the user of the socket that connects two addresses, or `nil` if it is not in the table.
    ///
    /// - Parameters:
    ///   - address: The socket's own address, in the table's format.
    ///   - table: The text of `/proc/net/tcp` or `tcp6` (proc_net_tcp.txt of the kernel's documentation).
    static func owner(of address: String, to other: String, in table: String) -> uid_t? {
        for line in table.split(separator: "\n").dropFirst() {
            let columns = line.split(separator: " ", omittingEmptySubsequences: true)
            guard columns.count > 7, columns[1] == address, columns[2] == other else { continue }
            return uid_t(columns[7])
        }
        return nil
    }

    /// Returns an address in the table's format: 32-bit words in the machine's byte order, then the port.
    static func entry(_ address: SocketAddress) -> String? {
        guard let text = address.ipAddress else { return nil }
        let isVersion6 = text.contains(":")
        var bytes = [UInt8](repeating: 0, count: isVersion6 ? 16 : 4)
        guard unsafe inet_pton(isVersion6 ? AF_INET6 : AF_INET, text, &bytes) == 1 else { return nil }
        var result = ""
        for word in stride(from: 0, to: bytes.count, by: 4) {
            for byte in bytes[word..<word + 4].reversed() { result += hexadecimal(Int(byte), digits: 2) }
        }
        return result + ":" + hexadecimal(address.port ?? 0, digits: 4)
    }

    private static func hexadecimal(_ number: Int, digits: Int) -> String {
        let text = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}
