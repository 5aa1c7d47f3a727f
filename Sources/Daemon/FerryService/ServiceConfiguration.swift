package import FerryCore
package import FerryDisk
package import FerryEngine
package import FerryQueue
package import FerryRules
import Foundation
package import Logging

/// The configuration of a service.
package struct ServiceConfiguration: Sendable {
    /// Folder of persistent state, or `nil` for a service without any.
    package var stateFolder: String?
    /// Opens the journal. Called once.
    package var openJournal: OpenedJournal.Opening
    package var logger: Logger
    /// Proxy and trust variables for transfers without their own.
    package var environment: [String: String]
    /// File mode mask for files of transfers without their own, and for launched apps.
    package var umask = FileMask.usual
    package var disk: any DiskSystem = SystemDisk()
    package var machine = ServiceMachine()
    package var timeouts = Timeouts()
    /// Host name resolution.
    package var lookup = NameLookup.system
    /// Called at each step where a crash makes a difference.
    package var reached: @Sendable (LifecycleStep) -> Void
    /// Called when nothing has run for a while after work and journal maintenance is done. Must return at once.
    package var atRest: @Sendable () -> Void = {}
    /// Factor for every retry delay. Tests use small values.
    package var delayScale: Double = 1
    /// How long before its deadline a transfer gets an alarm, in seconds.
    package var lookAhead: Double = 7200
    /// Number of a queue's transfers that are read from the journal at a time.
    package var lineWindow = Queue.lineWindow
    /// Time after which a start counts as good, in seconds.
    package var trial = StartMode.trial
    /// Seconds between checkpoints.
    package var checkpointInterval: Double = 1
    /// How long an action waits for transfers on an unresponsive disk, in seconds.
    package var answerLimit: Double = 3
    /// How long a shutdown waits for transfers on an unresponsive disk, in seconds. Threads and journal get three more.
    package var stopLimit: Double = 6

    /// Folder of finished files that their clients have not collected yet. `nil` is `spool` in the state folder.
    package var spoolFolder: String?
    /// Returns the advisor for a transfer's requests. If it is `nil` or returns `nil`, a spooled transfer uses the
    /// earlier answers of its session's client.
    package var advisor: (@Sendable (Transfer) -> (any ExchangeAdvisor)?)?
    /// How long uncollected results are kept, in seconds. Set by `FERRY_RESULT_AGE`.
    package var resultAge: Double = 30 * 86_400
    /// How long events are kept.
    package var retention = EventRetention()
    /// Delay before an app's background work after its first launch, in seconds. Set by `FERRY_RELAUNCH_DELAY`.
    package var relaunchDelay = 60.0

    /// Whether a host is this machine, reached without a network.
    package var isLoopback: @Sendable (_ host: String) -> Bool = LoopbackHost.contains

    package init(
        stateFolder: String?, logger: Logger, environment: [String: String],
        journal: @escaping OpenedJournal.Opening,
        reached: @escaping @Sendable (LifecycleStep) -> Void = { _ in }
    ) {
        self.reached = reached
        self.stateFolder = stateFolder
        openJournal = journal
        self.logger = logger
        self.environment = environment
        if let age = environment["FERRY_RESULT_AGE"].flatMap(Double.init), age >= 0, age.isFinite { resultAge = age }
        if let delay = environment["FERRY_RELAUNCH_DELAY"].flatMap(Double.init), delay >= 0, delay.isFinite {
            relaunchDelay = delay
        }
    }
}

extension ServiceConfiguration {
    /// The spool folder. Without a state folder, it is beside the system's temporary files.
    var spool: String { spoolFolder ?? (stateFolder ?? NSTemporaryDirectory() + "ferry") + "/spool" }

    /// Delay before retrying a write to a full journal, in seconds.
    var journalRetryDelay: Double { TransferMachine.waitInterval * delayScale }
}
