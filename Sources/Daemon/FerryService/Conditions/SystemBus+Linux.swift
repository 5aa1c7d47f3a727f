import CFerrySystem
import Dispatch
import FerryCore
import FerryQueue

/// NetworkManager's classification of the network. Without NetworkManager it is neither mobile nor metered.
struct NetworkKind: Hashable, Sendable {
    var isCellular = false
    var isExpensive = false
}

/// A connection to the system's message bus. Used on one serial queue only.
@safe final class SystemBus: Sendable {
    private nonisolated(unsafe) let bus: OpaquePointer  // SAFETY: used on its owner's one queue alone

    /// Returns `nil` if there is no bus, or no libsystemd to use it with.
    init?(address: String) {
        guard let bus = unsafe ferry_bus_open(address) else { return nil }
        unsafe self.bus = unsafe bus
    }

    deinit { unsafe ferry_bus_close(bus) }

    /// Returns the address of the system bus, in D-Bus syntax.
    static func address(_ environment: [String: String]) -> String {
        environment["DBUS_SYSTEM_BUS_ADDRESS"].flatMap { $0.isEmpty ? nil : $0 }
            ?? "unix:path=/run/dbus/system_bus_socket"
    }

    var descriptor: Int32 { unsafe ferry_bus_descriptor(bus) }

    func watchNetwork() -> Bool { unsafe ferry_bus_watch_network(bus) >= 0 }

    /// Processes pending messages. Returns whether something changed, or `nil` if the connection is closed.
    func process() -> Bool? {
        let status = unsafe ferry_bus_process(bus)
        return status < 0 ? nil : status > 0
    }

    var networkKind: NetworkKind {
        var metered: UInt32 = 0
        var type = [CChar](repeating: 0, count: 64)
        let isThere = unsafe type.withUnsafeMutableBufferPointer {
            unsafe ferry_bus_network(bus, &metered, $0.baseAddress, $0.count)
        }
        guard isThere > 0 else { return NetworkKind() }
        let word = String(decoding: type.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return NetworkKind(
            isCellular: NetworkManagerRule.isCellular(connectionType: word),
            isExpensive: NetworkManagerRule.isExpensive(metered: metered))
    }

    /// Returns the address of the user's bus, or `nil` if the environment does not contain it.
    static func userAddress(_ environment: [String: String]) -> String? {
        if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty { return address }
        return environment["XDG_RUNTIME_DIR"].flatMap { $0.isEmpty ? nil : "unix:path=\($0)/bus" }
    }

    var isManagerStopping: Bool { unsafe ferry_bus_manager_is_stopping(bus) > 0 }

    var isPreparingForShutdown: Bool { unsafe ferry_bus_preparing_for_shutdown(bus) > 0 }
}

/// Whether the machine or the user's session is shutting down. A signal that ends a program is then no force-quit
/// (docs/behaviour/url-session.md#61).
package enum ShutdownNotice {
    /// Asks logind about the machine and systemd about the user's services, which also end at the last logout. Returns
    /// false where neither runs. May take a few seconds if a bus hangs.
    package static func isPreparing(environment: [String: String]) async -> Bool {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: isUnderWay(environment)) }
        }
    }

    private static func isUnderWay(_ environment: [String: String]) -> Bool {
        if let system = SystemBus(address: SystemBus.address(environment)), system.isPreparingForShutdown {
            return true
        }
        guard let address = SystemBus.userAddress(environment), let user = SystemBus(address: address) else {
            return false
        }
        return user.isManagerStopping
    }
}
