package import FerryCore

/// Selects the jobs of a list, and the page.
package struct JobQuery: Hashable, Sendable {
    package var states: [TransferState] = []
    /// Only jobs after this one in order of submission.
    package var after: JobID?
    /// 1 to 1000.
    package var limit = 100
    /// Whether the newest come first. `after` then means before.
    package var newestFirst = false

    package init() {}
}

/// An action on jobs.
package enum JobAction: String, CaseIterable, Codable, Sendable {
    case cancel, pause, resume, retry, remove
}

/// The outcome of an action for one job.
package struct JobActionResult: Hashable, Codable, Sendable {
    package var id: JobID
    /// The state afterwards, or `nil` if it was removed or the action failed.
    package var state: TransferState?
    package var error: ServiceError?

    package init(id: JobID, state: TransferState? = nil, error: ServiceError? = nil) {
        self.id = id
        self.state = state
        self.error = error
    }
}

extension ServiceError {
    package static func unknown(_ id: JobID) -> ServiceError {
        ServiceError(.unknownTransfer, "The fleet has no job \(id). See `ferry fleet list --all`.")
    }
}

/// A page of ended jobs, in the order in which their ends became visible.
package struct EndPage: Hashable, Sendable {
    package var jobs: [Job]
    /// The cursor after the page.
    package var next: String

    package init(jobs: [Job], next: String) {
        self.jobs = jobs
        self.next = next
    }
}
