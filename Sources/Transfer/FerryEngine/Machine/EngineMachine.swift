package import FerryCore
package import FerryDisk
package import FerryRules

/// The clocks, executor and threads that an engine uses, and its runs. A simulation replaces them.
package struct EngineMachine: Sendable {
    package var clock: any MachineClock = SystemClock()
    /// The actor on whose executor the engine and its service run. `nil` creates one.
    package var home: (any Actor)?
    /// Runs blocking file calls. `nil` uses threads.
    package var workers: (any DiskWorkers)?
    /// Creates the run of an attempt. `nil` creates a ``TransferRun``.
    package var makeRun: (@Sendable (Engine, TransferJob, any FactsJournal) -> any AttemptRun)?

    package init() {}
}

/// One attempt at a transfer, as its service sees it.
package protocol AttemptRun: Actor {
    /// Runs the attempt. Call it once.
    func run() async -> RunReport
    /// Adopts the changed request's options until the file is placed.
    func follow(_ request: TransferRequest)
    /// Ends the attempt. The written bytes become durable, then `run` returns.
    ///
    /// - Parameter error: The transfer's error, if the service decided one.
    func stop(with error: ServiceError?)
}

/// Runs blocking file calls.
package protocol DiskWorkers: Sendable {
    /// Work to run. A `refusal` is the reason why it must not run.
    typealias Work = @Sendable (_ refusal: DiskError?) -> Void

    /// Runs work once its lane has capacity. Work of one lane can delay only other work of the same lane.
    func run(in lane: DiskLane, _ work: @escaping Work)
    /// Refuses work that has not started and all later work, and waits for the running work.
    func shutdown() async
}
