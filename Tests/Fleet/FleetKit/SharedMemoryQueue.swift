package import FerryCore
package import FerryFleet

/// ``MemoryQueue`` behind the protocol, with a clock that tests set.
package actor SharedMemoryQueue: SharedQueue {
    package private(set) var state = MemoryQueue()
    private var now = 1_700_000_000.0
    private var random = SystemRandomNumberGenerator()

    package init() {}

    /// Lets time pass.
    package func advance(by seconds: Double) { now += seconds }

    package func perform(_ call: WorkerCall, as member: Membership?) throws(ServiceError) -> WorkerAnswer {
        try state.perform(call, as: member, at: now)
    }

    package func submit(_ requests: [JobRequest]) -> [JobSubmission] { state.submit(requests, at: now, using: &random) }
    package func jobs(_ query: JobQuery) -> [Job] {
        state.settleWishes(at: now)
        return state.jobs(query, at: now)
    }
    package func job(_ id: JobID) throws(ServiceError) -> Job {
        state.settleWishes(at: now)
        return try state.job(id, at: now)
    }
    package func act(_ action: JobAction, on jobs: [JobID]) -> [JobActionResult] {
        state.act(action, on: jobs, at: now)
    }
    package func ends(after cursor: String?, limit: Int) -> EndPage { state.ends(after: cursor, limit: limit, at: now) }
    package func drain(_ worker: String?, patience: Double) -> [String] { state.drain(worker, patience: patience) }
    package func setOrigin(_ origin: Origin, atOnce: Int?) { state.setOrigin(origin, atOnce: atOnce) }
    package func hold(_ origin: Origin, seconds: Double) { state.hold(origin, seconds: seconds, at: now) }
    package func release(_ origin: Origin) { state.release(origin) }
    package func stores() -> [Store] { state.stores }
    package func setStore(_ store: Store) throws(ServiceError) { try state.setStore(store) }
    package func keptFor() -> Double { state.keptFor }
    package func keep(for seconds: Double) { state.keep(for: seconds) }
    package func status() -> FleetStatus { state.status(at: now) }
}
