import FerryCore
import FerryEngine
import FerryQueue
import FerryRules
import Foundation

/// Performs the queue's effects that concern other parts of the service.
protocol EffectPerformer: Actor {
    /// Performs an effect. Returns false if it takes time.
    func begin(_ effect: Effect) -> Bool

    /// Performs an effect that takes time.
    func complete(_ effect: Effect) async throws(ServiceError)

    /// Runs an attempt, and returns the next one.
    func runAttempt(_ id: TransferID) async -> NextAttempt?
}

/// The queue of a running service, with the attempts at its transfers. Passes inputs to the queue and performs the
/// effects that it returns.
///
/// The actors of the service share the executor of this one. They call its nonisolated functions without `await`:
/// nothing else changes the queue between two calls. A call from another executor traps.
actor LiveQueue {
    private let home: any Actor
    // SAFETY: The actor keeps alive what owns the executor.
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe home.unownedExecutor }
    nonisolated let engine: Engine
    nonisolated let journal: any Journal
    nonisolated let life: ServiceLife
    nonisolated let configuration: ServiceConfiguration

    var queue: Queue
    /// Attempts of the transfers that have a slot.
    var attempts: [TransferID: Attempt] = [:]
    var rates: RateLimits
    private var alarm = AlarmClock()
    var waiters = Waiters()
    /// The service, which owns this queue.
    weak var performer: (any EffectPerformer)?

    init(_ queue: Queue, engine: Engine, journal: any Journal, life: ServiceLife, _ configuration: ServiceConfiguration)
    {
        home = engine.home
        self.engine = engine
        self.journal = journal
        self.life = life
        self.configuration = configuration
        self.queue = queue
        let settings = queue.sessions.settings
        rates = RateLimits(settings)
        engine.budget.setLimits(perHost: settings.connectionsPerHost, total: settings.connectionsTotal)
    }

    /// Sets the actor that performs the effects for other parts of the service.
    func connect(_ performer: any EffectPerformer) { self.performer = performer }

    /// The machine's clocks.
    nonisolated var clock: any MachineClock { configuration.machine.clock }
    nonisolated var moment: Moment { Moment(clock) }

    // MARK: Inputs

    /// Passes an input to the queue and starts the resulting effects. Those that take time are performed afterwards, in
    /// order.
    nonisolated func take(_ input: Input) {
        assumeIsolated { queue in
            queue.perform(queue.queue.take(input, at: queue.moment))
        }
    }

    /// Passes an input to the queue and performs the resulting effects, waiting for the ones that take time.
    func takeInOrder(_ input: Input) async { await performInOrder(queue.take(input, at: moment)) }

    /// Passes an input to the queue and performs the resulting effects for a caller that waits for them.
    ///
    /// - Throws: The first ``ServiceError`` of an effect. The others are performed all the same.
    func takeOrThrow(_ input: Input) async throws(ServiceError) {
        try await performOrThrow(queue.take(input, at: moment))
    }

    /// Passes an input of an action to the queue, and starts the resulting effects.
    ///
    /// - Returns: The action's next step with its ticket, or `nil` if there is none.
    nonisolated func nextStep(_ input: Input) -> (ticket: Int, step: Act.Step)? {
        assumeIsolated { queue in
            let effects = queue.queue.take(input, at: queue.moment)
            queue.perform(effects)
            guard case .act(let ticket, let step)? = effects.last else { return nil }
            return (ticket, step)
        }
    }

    /// Fills all free slots. Call it after anything that may free one or make a transfer eligible.
    nonisolated func schedule() {
        assumeIsolated { $0.refreshNames() }
        take(.schedule)
    }

    /// Updates the queue for abandoned name lookups, which only the attempts' counters show.
    func refreshNames() {
        for id in queue.running.waitingForNames where attempts[id]?.waitsForName == false { take(.nameGivenUp(id)) }
    }

    /// Queues a transfer after a delay, and not before its begin date.
    nonisolated func enqueue(_ record: TransferRecord) { take(.eligible(Input.Eligible(record: record))) }

    /// Queues pending transfers that are in no queue, and sets their deadline alarms.
    nonisolated func enqueue(_ transfers: [PendingTransfer]) { take(.pending(transfers)) }

    /// Decides on an attempt's report, and starts the resulting effects on other transfers.
    nonisolated func judge(_ report: RunReport, of stored: TransferRecord) -> Queue.Verdict? {
        let jitter = Queue.Jitter(random: configuration.machine.random(), delayScale: configuration.delayScale)
        return assumeIsolated { queue in
            guard let verdict = queue.queue.judge(report, of: stored, jitter, at: queue.moment) else { return nil }
            queue.perform(verdict.effects)
            return verdict
        }
    }

    /// Calls a closure that changes the queue without effects.
    nonisolated func change<Value: Sendable>(_ body: @Sendable (inout Queue) -> Value) -> Value {
        assumeIsolated { body(&$0.queue) }
    }

    // MARK: Alarms

    nonisolated func setAlarm(_ cause: Alarm.Cause, after seconds: Double) {
        take(.plan(Alarm(due: clock.now + .wait(seconds: seconds), cause: cause)))
    }

    /// Delay before retrying to remove files, in seconds.
    private static let cleanUpInterval = 300.0

    /// Retries later to remove files that cannot be removed at the moment.
    nonisolated func cleanUpLater() {
        setAlarm(.cleanUp, after: Self.cleanUpInterval * configuration.delayScale)
    }

    /// Schedules a wake-up for the next alarm.
    func arm() {
        guard !life.isEnding else { return }
        alarm.set(queue.waitingTransfers.nextAlarm, by: clock) { [weak self] in await self?.ring() }
    }

    private func ring() {
        alarm.rang()
        refreshNames()
        take(.alarm)
    }

    // MARK: Shutdown

    /// Stops all runs for a shutdown. Runs on disks that do not respond are left behind after some seconds.
    func beginEnd() {
        take(.end)
        // Runs held up by an unresponsive disk continue from their last checkpoint at the next start.
        let tasks = queue.running.ids.compactMap { attempts[$0]?.task }
        let limit = Duration.seconds(configuration.stopLimit)
        let clock = clock
        life.beginEnd(
            Task(name: "end of all runs") {
                await Patience.wait(atMost: limit, by: clock) { for task in tasks { await task.value } }
            })
        alarm.stop()
    }
}
