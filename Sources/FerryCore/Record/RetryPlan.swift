// Ferry: FerryCore
// When a transfer that failed is tried again.

package import Foundation

/// When and why a transfer is tried again; survives the daemon.
package struct RetryPlan: Hashable, Codable, Sendable {
    /// Planned wall time.
    package var at: Date
    /// Seconds between the failure and the try.
    package var delay: Double
    package var reason: WaitReason
    package var error: TransferError

    package init(at: Date, delay: Double, reason: WaitReason, error: TransferError) {
        self.at = at
        self.delay = delay
        self.reason = reason
        self.error = error
    }

    /// Seconds left after a restart: a wall clock that was set back never lengthens the wait.
    package func rest(now: Date) -> Double { max(0, min(at.timeIntervalSince(now), delay)) }
}
