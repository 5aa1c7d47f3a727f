import Dispatch

/// Whether the machine or the user's session is being shut down: a signal that ends a program is no force-quit then
/// (docs/behaviour/url-session.md#61).
package enum ShutdownNotice {
    /// What logind says of the machine and systemd of the user's services, which also end at the last logout; false where
    /// there are none. May take a few seconds, where a bus hangs.
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
