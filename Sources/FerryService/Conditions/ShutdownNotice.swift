// Ferry: FerryService
// Whether the machine is being shut down.

import Dispatch

/// Whether the machine is being shut down: a signal that ends a program is nobody's wish then (statement 61).
package enum ShutdownNotice {
    /// What logind says; false where there is none. May take a few seconds, where the bus hangs.
    package static func isPreparing(environment: [String: String]) async -> Bool {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                let bus = SystemBus(address: SystemBus.address(environment))
                continuation.resume(returning: bus?.isPreparingForShutdown ?? false)
            }
        }
    }
}
