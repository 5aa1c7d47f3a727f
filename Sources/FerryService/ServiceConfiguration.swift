// Ferry: FerryService
// What a service is made from.

package import FerryCore
package import FerryEngine
package import Logging

/// What a service is made from.
package struct ServiceConfiguration: Sendable {
    /// Folder of the journal; nil keeps the journal in memory.
    package var stateFolder: String?
    package var logger: Logger
    /// Proxy and trust variables for transfers that bring none.
    package var environment: [String: String]
    package var disk: any DiskSystem = SystemDisk()
    package var timeouts = Timeouts()
    /// Called at each step at which a crash makes a difference.
    package var reached: @Sendable (LifeStep) -> Void
    /// Gives the random numbers that spread delays, from 0 up to 1.
    package var random: @Sendable () -> Double = { Double.random(in: 0..<1) }
    /// Multiplies every delay before a retry; tests make them short.
    package var delayScale: Double = 1
    /// Seconds between checkpoints.
    package var checkpointInterval: Double = 1

    package init(
        stateFolder: String?, logger: Logger, environment: [String: String],
        reached: @escaping @Sendable (LifeStep) -> Void = { _ in }
    ) {
        self.reached = reached
        self.stateFolder = stateFolder
        self.logger = logger
        self.environment = environment
    }
}
