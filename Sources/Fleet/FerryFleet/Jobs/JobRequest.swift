package import FerryCore
package import FerryFoundation

/// A request for a job: a file to fetch, by any worker, into a shared folder.
///
/// `transfer.file.folder` is the absolute path of the shared folder and `transfer.file.name` the final name, which must
/// be given: it cannot wait for a response, since a destination belongs to one unfinished job.
package struct JobRequest: Hashable, Sendable {
    package var transfer: TransferRequest
    /// The submitter's own identifier. A second submission with the same key is the same job.
    package var key: String?
    /// The jobs that were added together, for `wait` and `list`.
    package var batch: String?
    /// A label that the worker must have, or empty for any worker.
    package var needs: String
    /// Earliest moment of the first attempt, by the submitter's clock.
    package var notBefore: Date?

    package init(transfer: TransferRequest, key: String? = nil, batch: String? = nil, needs: String = "") {
        self.transfer = transfer
        self.key = key
        self.batch = batch
        self.needs = needs
    }

    /// The final path, which another unfinished job may not have. `nil` under a policy that chooses another name.
    package var exclusivePath: String? {
        guard transfer.file.onConflict != .unique else { return nil }
        return path
    }

    /// The final path.
    package var path: String { transfer.file.folder + "/" + (transfer.file.name ?? "") }
}

/// A submission's result for one request.
package struct JobSubmission: Hashable, Sendable {
    package enum Result: Hashable, Sendable {
        case added(JobID)
        /// A job with this key exists. It is the same job.
        case existing(JobID)
        case refused(ServiceError)
    }

    package var result: Result

    package init(_ result: Result) { self.result = result }

    package var id: JobID? {
        switch result {
        case .added(let id), .existing(let id): id
        case .refused: nil
        }
    }

    package var error: ServiceError? { if case .refused(let error) = result { error } else { nil } }

    /// Another unfinished job has the destination.
    ///
    /// - Parameter job: `nil` for a job of another login.
    package static func taken(_ path: String, by job: JobID?) -> JobSubmission {
        JobSubmission(
            .refused(
                ServiceError(
                    .destinationExists,
                    "\(job.map { "Job \($0)" } ?? "A job of another login") already delivers to “\(path.escapingControls)”. Wait for it, or choose another name."
                )))
    }

    /// Other jobs were in the way, time and again.
    package static let busy = JobSubmission(
        .refused(ServiceError(.queueUnreachable, "Other jobs with this key or destination come and go. Try again.")))

    /// No store of the fleet contains the destination.
    package static func outside(_ path: String) -> JobSubmission {
        JobSubmission(
            .refused(
                ServiceError(
                    .invalidRequest,
                    "No store of the fleet contains “\(path.escapingControls)”. See `ferry fleet store list`.")))
    }
}
