import FerryCore
import FerryQueue
import FerryRules
import FerryService
import FerryTesting
import Foundation
import Logging
import Testing

@Suite(.timeLimit(.minutes(1))) struct `The machine's conditions` {
    private static let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private func supply(_ folder: TemporaryFolder, _ name: String, _ files: [String: String]) throws {
        let place = folder.file("power/" + name)
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        for (file, text) in files { try Data((text + "\n").utf8).write(to: URL(fileURLWithPath: place + "/" + file)) }
    }

    @Test func `74 the kernel's files about power are read, and looked at again`() async throws {
        try await withTemporaryFolder { folder in
            try supply(folder, "BAT0", ["type": "Battery"])
            try supply(folder, "AC", ["type": "Mains", "online": "0"])
            try supply(folder, "mouse", ["type": "Battery", "scope": "Device"])
            #expect(PowerSupply.all(in: folder.file("power")).count == 3)
            let conditions = SystemConditions(
                environment: [:], powerFolder: folder.file("power"), logger: Self.quiet)
            defer { conditions.stop() }
            conditions.watch(.power) {}
            try await eventually("power is known") { conditions.report.known == .power }
            #expect(!conditions.report.conditions.externalPower)
            try supply(folder, "AC", ["type": "Mains", "online": "1"])
            conditions.pollPower(every: 1)
            try await eventually("the plug is in") { conditions.report.conditions.externalPower }
            try supply(folder, "AC", ["type": "Mains", "online": "0"])
            try await eventually("the plug is out") { !conditions.report.conditions.externalPower }
        }
    }

    @Test func `74 a machine without batteries has external power`() async throws {
        let conditions = SystemConditions(environment: [:], powerFolder: "/nonexistent", logger: Self.quiet)
        defer { conditions.stop() }
        conditions.watch(.power) {}
        try await eventually("power is known") { conditions.report.known == .power }
        #expect(conditions.report.conditions.externalPower)
    }

    @Test func `73 a network is there if the kernel has a default route on an interface that is up`() async throws {
        let conditions = SystemConditions(environment: [:], logger: Self.quiet)
        defer { conditions.stop() }
        conditions.watch(.reachability) {}
        try await eventually("routes are known") { conditions.report.known == .reachability }
        #expect(conditions.report.conditions.reachable == Self.hasDefaultRoute)
        #expect(conditions.report.conditions.uplinks.isEmpty != Self.hasDefaultRoute)
    }

    /// The same condition, from the kernel's text files.
    private static var hasDefaultRoute: Bool {
        func lines(_ file: String) -> [[Substring]] {
            String(decoding: FileManager.default.contents(atPath: file) ?? Data(), as: UTF8.self)
                .split(separator: "\n").map { $0.split(whereSeparator: \.isWhitespace) }
        }
        let v4 = lines("/proc/net/route").contains { $0.count > 7 && $0[1] == "00000000" && $0[7] == "00000000" }
        let v6 = lines("/proc/net/ipv6_route").contains { $0.count > 9 && $0[1] == "00" && $0[9] != "lo" }
        return v4 || v6
    }

    @Test func `72 without a bus the network is neither mobile nor metered`() async throws {
        let conditions = SystemConditions(
            environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"], logger: Self.quiet)
        defer { conditions.stop() }
        conditions.watch(.kind) {}
        try await eventually("the kind is known") { conditions.report.known == .kind }
        #expect(!conditions.report.conditions.cellular && !conditions.report.conditions.expensive)
    }

    @Test(.enabled(if: PrivateBus.isInstalled))
    func `72 NetworkManager says what the network is, comes and goes`() async throws {
        try await withPrivateBus { bus in
            let conditions = SystemConditions(
                environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address], logger: Self.quiet)
            defer { conditions.stop() }
            conditions.watch(.kind) {}
            try await eventually("the kind is known") { conditions.report.known == .kind }
            #expect(!conditions.report.conditions.expensive && !conditions.report.conditions.cellular)
            let manager = try bus.start(
                "org.freedesktop.NetworkManager", ["Metered": .number(1), "PrimaryConnectionType": .text("gsm")])
            try await eventually("it has come") { conditions.report.conditions.expensive }
            #expect(conditions.report.conditions.cellular)
            for (metered, isExpensive) in [(2, false), (3, true), (4, false), (1, true), (0, false)] {
                try manager.set(["Metered": .number(metered)])
                try await eventually("metered \(metered)") { conditions.report.conditions.expensive == isExpensive }
            }
            try manager.set(["PrimaryConnectionType": .text("802-11-wireless"), "Metered": .number(3)])
            try await eventually("wireless") {
                !conditions.report.conditions.cellular && conditions.report.conditions.expensive
            }
            await manager.end()
            try await eventually("it has gone") { !conditions.report.conditions.expensive }
            _ = try bus.start("org.freedesktop.NetworkManager", ["Metered": .number(1)])
            try await eventually("it is back") { conditions.report.conditions.expensive }
        }
    }

    @Test(.enabled(if: PrivateBus.isInstalled))
    func `72 a bus that ends leaves no transfer restricted`() async throws {
        try await withPrivateBus { bus in
            let conditions = SystemConditions(
                environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address], logger: Self.quiet)
            defer { conditions.stop() }
            _ = try bus.start("org.freedesktop.NetworkManager", ["Metered": .number(1)])
            conditions.watch(.kind) {}
            try await eventually("it is metered") { conditions.report.conditions.expensive }
            await bus.end()
            try await eventually("it is not") { !conditions.report.conditions.expensive }
        }
    }

    @Test(.enabled(if: PrivateBus.isInstalled))
    func `61 logind says whether the machine is being shut down`() async throws {
        try await withPrivateBus { bus in
            let environment = ["DBUS_SYSTEM_BUS_ADDRESS": bus.address]
            #expect(await ShutdownNotice.isPreparing(environment: environment) == false)
            let login = try bus.start("org.freedesktop.login1", ["PreparingForShutdown": .truth(true)])
            try await eventually("it is being shut down") { await ShutdownNotice.isPreparing(environment: environment) }
            try login.set(["PreparingForShutdown": .truth(false)])
            try await eventually("it is not") { await !ShutdownNotice.isPreparing(environment: environment) }
        }
        #expect(await ShutdownNotice.isPreparing(environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/none"]) == false)
    }

    @Test(.enabled(if: PrivateBus.isInstalled))
    func `61 the user's service manager says whether the user's session ends`() async throws {
        try await withPrivateBus { bus in
            let environment = [
                "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/none", "DBUS_SESSION_BUS_ADDRESS": bus.address,
            ]
            let manager = try bus.start("org.freedesktop.systemd1", ["SystemState": .text("stopping")])
            try await eventually("it is being ended") { await ShutdownNotice.isPreparing(environment: environment) }
            try manager.set(["SystemState": .text("running")])
            try await eventually("it is not") { await !ShutdownNotice.isPreparing(environment: environment) }
        }
    }
}
