#if os(Linux)
    import FerryCore
    import Glibc

    /// Notifies the service manager when the daemon is ready, of its status, and when it ends. Uses systemd's protocol,
    /// sd_notify(3).
    ///
    /// `NOTIFY_SOCKET` names a datagram socket. A name that begins with `@` is an abstract one. Without the variable
    /// nothing is sent. A manager that does not read blocks nothing.
    package struct ServiceManager: Sendable {
        /// The socket's name in `sun_path` form, or `nil` without a manager.
        private let name: [UInt8]?
        /// Seconds within which the manager wants to hear from this process, or `nil` without a watchdog
        /// (sd_watchdog_enabled(3)).
        package let watchdogInterval: Double?

        package init(environment: [String: String]) {
            let isMeant = environment["WATCHDOG_PID"].map { $0 == String(getpid()) } ?? true
            let microseconds = isMeant ? environment["WATCHDOG_USEC"].flatMap(UInt64.init) : nil
            watchdogInterval = microseconds.flatMap { $0 > 0 ? Double($0) / 1_000_000 : nil }
            let named = Array((environment["NOTIFY_SOCKET"] ?? "").utf8)
            let isAbstract = named.first == UInt8(ascii: "@")
            guard named.first == UInt8(ascii: "/") || isAbstract, named.count > 1,
                named.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path)
            else {
                name = nil
                return
            }
            // An abstract name begins with a zero byte and has none at its end (unix(7)).
            name = isAbstract ? [0] + named.dropFirst() : named + [0]
        }

        /// Whether there is a manager to notify.
        package var isThere: Bool { name != nil }

        package func ready() { send("READY=1") }

        /// Resets the watchdog.
        package func alive() { send("WATCHDOG=1") }

        package func ending() { send("STOPPING=1\nSTATUS=Making transfers durable") }

        /// - Parameter status: One line for `systemctl status`.
        package func notify(_ status: String) { send("STATUS=" + status.escapingControls) }

        private func send(_ message: String) {
            guard let name else { return }
            let file = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            guard file >= 0 else { return }
            defer { close(file) }
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
            let length = socklen_t(MemoryLayout<sockaddr_un>.offset(of: \.sun_path).map { $0 + name.count } ?? 0)
            let bytes = Array(message.utf8)
            _ = unsafe withUnsafePointer(to: &address) { address in
                unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    unsafe sendto(
                        file, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT), address,
                        length)
                }
            }
        }
    }
#endif
