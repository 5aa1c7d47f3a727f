import FerryCore
import FerryFoundation

/// Checks whether a proxy can be connected to. Blocks while its name is being resolved, and a few seconds more.
enum ProxyProbe {
    private static let patience: Int32 = 2000

    /// Returns a proxy's fault as the end of a sentence, or `nil` if the proxy accepts connections.
    static func fault(of proxy: ProxyChoice) -> String? {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        let host = proxy.host.filter { !"[]".contains($0) }
        guard unsafe getaddrinfo(host, String(proxy.port), &hints, &found) == 0 else { return "its name is unknown" }
        defer { if let found = unsafe found { unsafe freeaddrinfo(found) } }
        var fault = "its name has no address"
        var next = unsafe found
        while let address = unsafe next {
            guard let reason = unsafe connect(to: address.pointee) else { return nil }
            fault = reason
            unsafe next = address.pointee.ai_next
        }
        return fault
    }

    private static func connect(to address: addrinfo) -> String? {
        let socket = FerryFoundation.socket(unsafe address.ai_family, CInt(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { return unsafe String(cString: strerror(errno)) }
        defer { close(socket) }
        _ = fcntl(socket, F_SETFL, O_NONBLOCK)
        if unsafe FerryFoundation.connect(socket, address.ai_addr, address.ai_addrlen) == 0 { return nil }
        guard errno == EINPROGRESS else { return unsafe String(cString: strerror(errno)) }
        var polled = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
        guard unsafe poll(&polled, 1, patience) > 0 else { return "it does not respond" }
        var (error, size) = (CInt(0), socklen_t(MemoryLayout<CInt>.size))
        guard unsafe getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) == 0 else { return nil }
        return error == 0
            ? nil : error == ECONNREFUSED ? "it refuses connections" : unsafe String(cString: strerror(error))
    }
}
