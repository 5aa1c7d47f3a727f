package import FerryCore

/// Selects the jobs of a list, and the page.
package struct JobQuery: Hashable, Sendable {
    /// Empty for all.
    package var states: [TransferState] = []
    /// Only failed jobs with this error's code.
    package var code: ErrorCode?
    /// Only jobs of this host.
    package var host: String?
    /// Only jobs of this batch.
    package var batch: String?
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

    /// A retry of a job that has succeeded.
    package static func succeeded(_ id: JobID) -> ServiceError {
        ServiceError(.invalidRequest, "Job \(id) has succeeded. Add its URL again to fetch the file anew.")
    }

    /// Another job has taken the key or the destination of an ended one.
    package static func taken(_ id: JobID) -> ServiceError {
        ServiceError(.destinationExists, "Another job has taken the destination or the key of job \(id).")
    }
}

/// A page of ended jobs, in the order in which their ends became visible.
package struct EndPage: Hashable, Sendable {
    /// An ended job, and the cursor after it.
    package struct End: Hashable, Codable, Sendable {
        package var cursor: String
        package var job: Job

        package init(cursor: String, job: Job) {
            self.cursor = cursor
            self.job = job
        }
    }

    package var ends: [End]
    /// The cursor after the page.
    package var next: String

    package init(ends: [End], next: String) {
        self.ends = ends
        self.next = next
    }
}
