package import FerryCore
package import FerryEngine
package import Logging

/// What a service is made from.
package struct ServiceConfiguration: Sendable {
    /// Folder of what outlives the process; nil if nothing does.
    package var stateFolder: String?
    /// Opens the journal, once.
    package var openJournal: OpenedJournal.Opening
    package var logger: Logger
    /// Proxy and trust variables for transfers that bring none.
    package var environment: [String: String]
    /// What the files of transfers that bring no mask are not permitted; apps that are launched get it too.
    package var umask = FileMask.usual
    package var disk: any DiskSystem = SystemDisk()
    package var timeouts = Timeouts()
    /// How names are looked up.
    package var lookup = NameLookup.system
    /// Called at each step at which a crash makes a difference.
    package var reached: @Sendable (LifecycleStep) -> Void
    /// Called when nothing has run for a while after work and the journal is tidy; returns at once.
    package var atRest: @Sendable () -> Void = {}
    /// Gives the random numbers that spread delays, from 0 up to 1.
    package var random: @Sendable () -> Double = { Double.random(in: 0..<1) }
    /// Multiplies every delay before a retry; tests make them short.
    package var delayScale: Double = 1
    /// Seconds before its time is over at which a transfer gets an alarm for that.
    package var lookAhead: Double = 7200
    /// Seconds after which a start counts as a good one.
    package var trial = StartMode.trial
    /// Seconds between checkpoints.
    package var checkpointInterval: Double = 1
    /// Seconds that an action waits for transfers whose disk does not answer.
    package var answerLimit: Double = 3
    /// Seconds that a shutdown waits for transfers whose disk does not answer; threads and journal get three more.
    package var stopLimit: Double = 6

    /// Folder of the files that their clients still have to take; nil is `spool` in the state folder.
    package var spoolFolder: String?
    /// Returns the advisor that is asked while a transfer's requests are under way. Where it returns nil, or is nil itself, a
    /// spooled transfer uses what its session's client has answered before.
    package var advisor: (@Sendable (Transfer) -> (any ExchangeAdvisor)?)?
    /// Seconds that results are kept which their client does not take; `FERRY_RESULT_AGE` sets it.
    package var resultAge: Double = 30 * 86_400
    /// How long events are kept.
    package var retention = EventRetention()
    /// Seconds that the first launch of an app sets as the delay before its background work; `FERRY_RELAUNCH_DELAY` sets it.
    package var relaunchDelay = 60.0

    /// Where the conditions come from; nil is the machine, or the file that `FERRY_CONDITIONS_FILE` names.
    package var conditions: (any ConditionSource)?
    /// Whether a host is this machine, which is reached without a network.
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
