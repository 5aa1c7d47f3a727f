import FerryAPI
import FerryCore
import FerrySystem
import Foundation
import Glibc
import Logging
import Testing

@testable import FerryServer
import FerryTesting

@Suite(.timeLimit(.minutes(1))) struct `A service manager` {
    /// A service manager that receives datagrams on a private socket.
    final class Manager: Sendable {
        private let descriptor: Int32
        /// Value for `NOTIFY_SOCKET`.
        let name: String

        init(_ name: String) throws {
            self.name = name
            descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            try #require(descriptor >= 0)
            let isAbstract = name.hasPrefix("@")
            let bytes = isAbstract ? [0] + Array(name.utf8.dropFirst()) : Array(name.utf8) + [0]
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
            let length = socklen_t(2 + bytes.count)
            let status = unsafe withUnsafePointer(to: &address) { address in
                unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(descriptor, $0, length) }
            }
            try #require(status == 0)
        }

        deinit { close(descriptor) }

        /// Returns the next datagram. Blocks until one arrives.
        func next() -> String {
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
            return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
        }
    }

    @Test func `L18 hears that the daemon is ready, how it stands, and that it ends`() async throws {
        try await withFolder { folder in
            let manager = try Manager(folder + "/notify")
            let environment = ["FERRY_HOME": folder, "NOTIFY_SOCKET": manager.name]
            var logger = Logger(label: "test")
            logger.logLevel = .critical
            let daemon = Daemon(
                paths: try FerryPaths(environment: environment, userID: geteuid()), environment: environment,
                logger: logger, ready: ReadyPipe(environment: [:])
            ) { _, _, _ in FakeService() }
            async let running: Void = daemon.run(signals: [])
            // Two parts of the daemon start at once.
            let begun = try await offPool { [manager.next(), manager.next()] }
            #expect(Set(begun) == ["READY=1", "STATUS=Nothing to do"])
            let client = SocketClient(path: folder + "/run/ferryd.sock")
            _ = try await client.send("POST", "/v1/stop")
            #expect(try await offPool { manager.next() } == "STOPPING=1\nSTATUS=Making transfers durable")
            try await running
        }
    }

    @Test func `L18 may listen at an abstract name, and hears one line at a time`() throws {
        let manager = try Manager("@ferry-\(UUID().uuidString)")
        ServiceManager(environment: ["NOTIFY_SOCKET": manager.name]).notify("one\nREADY=1")
        #expect(manager.next() == "STATUS=one\\u{a}READY=1")
    }

    @Test(arguments: [nil, "", "@", "/", "relative", "/" + String(repeating: "x", count: 200), "/nowhere/notify"])
    func `that does not exist gets no notification`(name: String?) {
        let manager = ServiceManager(environment: name.map { ["NOTIFY_SOCKET": $0] } ?? [:])
        manager.ready()
        #expect(manager.isThere == (name == "/nowhere/notify"))
    }

    @Test(
        arguments: [
            (["WATCHDOG_USEC": "60000000"], 60), (["WATCHDOG_USEC": "1500000", "WATCHDOG_PID": "\(getpid())"], 1.5),
            (["WATCHDOG_USEC": "1500000", "WATCHDOG_PID": "1"], nil), (["WATCHDOG_USEC": "0"], nil),
            (["WATCHDOG_USEC": "-5"], nil), (["WATCHDOG_USEC": "soon"], nil), ([:], nil),
        ] as [([String: String], Double?)])
    func `has a watchdog for this process alone`(environment: [String: String], interval: Double?) async throws {
        try await withFolder { folder in
            let receiver = try Manager(folder + "/notify")
            let manager = ServiceManager(environment: environment.merging(["NOTIFY_SOCKET": receiver.name]) { $1 })
            #expect(manager.watchdogInterval == interval)
            manager.alive()
            #expect(receiver.next() == "WATCHDOG=1")
        }
    }

    @Test(
        arguments: [
            ([:], "Nothing to do"), (["succeeded": 3], "Nothing to do"),
            (["running": 2, "waiting": 5], "5 waiting, 2 running"),
            (["suspended": 1, "failed": 2], "1 paused"),
        ] as [([String: Int], String)])
    func `L18 is shown how many transfers are open`(transfers: [String: Int], text: String) {
        let status = ServiceStatus(
            version: "1", pid: 1, startedAt: .distantPast, transfers: transfers, lastEvent: 0, warnings: [])
        #expect(StatusLine.text(status) == text)
    }
}
