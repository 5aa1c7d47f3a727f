package import FerryCore

/// The queue that many workers share: PostgreSQL, or a value in memory for tests.
///
/// Every change is durable when the call returns. Only the queue's own clock decides about leases, delays and holds. All
/// calls may be made from any task.
///
/// A call throws ``ServiceError`` with code `queue_unreachable` if the database did not answer; the change may then have
/// been made or not. The code is `queue_unsuitable` if the database cannot be used as it is.
package protocol SharedQueue: Sendable {
    /// Performs a worker's call.
    ///
    /// - Parameter member: The membership from `joined`. Ignored by `join`.
    /// - Throws: ``ServiceError`` with code `worker_in_use` if another machine has the worker's name.
    func perform(_ call: WorkerCall, as member: Membership?) async throws(ServiceError) -> WorkerAnswer

    /// Adds jobs in one transaction and returns one result each, in order. A refused request does not affect the others.
    func submit(_ requests: [JobRequest]) async throws(ServiceError) -> [JobSubmission]

    /// Returns one page in order of submission, oldest first.
    func jobs(_ query: JobQuery) async throws(ServiceError) -> [Job]

    /// Returns a job with its history.
    ///
    /// - Throws: ``ServiceError`` with code `unknown_transfer`.
    func job(_ id: JobID) async throws(ServiceError) -> Job

    /// Performs an action on jobs, in one transaction. Idempotent. A running job is canceled or paused by its worker,
    /// with its next heartbeat.
    func act(_ action: JobAction, on jobs: [JobID]) async throws(ServiceError) -> [JobActionResult]

    /// Returns ended jobs after a cursor. Each end is returned at least once, none is skipped.
    ///
    /// - Parameter cursor: `nil` starts with the next end. One of another database starts with the first end of all.
    func ends(after cursor: String?, limit: Int) async throws(ServiceError) -> EndPage

    func status() async throws(ServiceError) -> FleetStatus

    /// Asks workers to drain: all of them, or one by name.
    ///
    /// - Parameter patience: Seconds until workers give back what has not ended.
    /// - Returns: The names of the workers.
    func drain(_ worker: String?, patience: Double) async throws(ServiceError) -> [String]

    func setOrigin(_ origin: Origin, atOnce: Int?) async throws(ServiceError)

    /// Delays claims of jobs from an origin, for 0 to 3600 seconds. Does not shorten an earlier hold.
    func hold(_ origin: Origin, seconds: Double) async throws(ServiceError)

    /// Ends the hold of an origin.
    func release(_ origin: Origin) async throws(ServiceError)

    func stores() async throws(ServiceError) -> [Store]

    /// Adds a store, or moves one.
    ///
    /// - Throws: ``ServiceError`` with code `invalid_request` if another store has the folder.
    func setStore(_ store: Store) async throws(ServiceError)

    /// Seconds for which ended jobs and their keys are kept.
    func keptFor() async throws(ServiceError) -> Double

    func keep(for seconds: Double) async throws(ServiceError)
}

/// A folder that all workers share.
package struct Store: Hashable, Codable, Sendable {
    package var name: String
    /// Absolute path, the same on all machines.
    package var folder: String
    /// The content of the folder's mark, which distinguishes it from an empty mount point.
    package var mark: String

    package init(name: String, folder: String, mark: String) {
        self.name = name
        self.folder = folder
        self.mark = mark
    }

    /// Whether a path is below the folder: by whole parts, none of which leads upwards.
    package func contains(_ path: String) -> Bool {
        // By bytes: a combining mark after a slash makes another Character of it.
        JobRequest.isPlain(path) && path.utf8.starts(with: (folder == "/" ? "/" : folder + "/").utf8)
    }
}

extension ServiceError {
    /// Another store has a folder.
    package static func taken(_ folder: String, by store: String) -> ServiceError {
        ServiceError(
            .invalidRequest,
            "“\(folder.escapingControls)” is the fleet's store “\(store.escapingControls)” already. Use that one.")
    }

    /// Another process has a worker's name.
    package static func inUse(_ worker: String, by machine: String) -> ServiceError {
        let holder = machine.isEmpty ? "Another machine" : machine.escapingControls
        return ServiceError(
            .workerInUse,
            "\(holder) is the fleet's worker “\(worker.escapingControls)”. Set another `worker` in fleet.yaml, or stop that one. A copied state folder has the same name: remove its files fleet-*.id."
        )
    }
}
