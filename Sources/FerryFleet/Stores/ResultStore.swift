package import FerryCore

/// A file to deliver.
package struct Delivery: Hashable, Sendable {
    package var key: LeaseKey
    /// Number of claims of the job. Above one, files of earlier holders may be left.
    package var tries: Int
    package var file: LocalFile
    /// Absolute path of the shared folder.
    package var folder: String
    package var name: String
    package var policy: ConflictPolicy

    package init(key: LeaseKey, tries: Int, file: LocalFile, folder: String, name: String, policy: ConflictPolicy) {
        self.key = key
        self.tries = tries
        self.file = file
        self.folder = folder
        self.name = name
        self.policy = policy
    }

    /// Name of the file while it is not placed. No other holder of any job has the same.
    package var partName: String { Self.partName(key.job, key.fence) }

    package static func partName(_ job: JobID, _ fence: Int32) -> String { ".ferry-fleet-\(job)-\(fence).part" }
}

/// A durable copy in the shared folder, not placed yet.
package struct PreparedFile: Hashable, Sendable {
    /// The file, with the final path that is tried next.
    package var intent: Intent
    /// Inode of the file that may be replaced, under the policy `replace`.
    package var replaces: UInt64?

    package init(intent: Intent, replaces: UInt64? = nil) {
        self.intent = intent
        self.replaces = replaces
    }
}

/// The result of placing a file.
package enum Placement: Hashable, Sendable {
    /// The job's file is at its final name. Its facts are those of the file that is there, whoever placed it.
    case delivered(JobResult)
    /// Another file has the name, and the policy chooses this one, which needs an intent of its own.
    case renamed(PreparedFile)
}

/// A failed step of a delivery.
package struct DeliveryFailure: Error, Hashable, Sendable {
    package var error: ServiceError
    /// Whether another attempt may succeed: the store is away or full.
    package var isTemporary: Bool

    package init(_ error: ServiceError, isTemporary: Bool) {
        self.error = error
        self.isTemporary = isTemporary
    }
}

/// A place of results that many workers share: a folder, or one in memory for tests.
///
/// A delivery has three steps. `prepare` makes a durable copy, the caller records its intent in the queue, and `place`
/// gives it its final name. Any step may be repeated, and may run while another worker, which believes to hold the job
/// too, runs the same.
package protocol ResultStore: Sendable {
    /// Copies the file to the store, durably, under a name of its own.
    ///
    /// Stops when the task is canceled.
    func prepare(_ delivery: Delivery) async throws(DeliveryFailure) -> PreparedFile

    /// Gives the copy its final name, if the name is free or the policy allows it.
    ///
    /// - Parameter known: All intents of the job, read after this file's intent was recorded.
    func place(_ file: PreparedFile, of delivery: Delivery, known: [Intent]) async throws(DeliveryFailure) -> Placement

    /// Removes the copy. Errors are ignored: `ferry fleet sweep` finds what is left.
    ///
    /// - Parameter ofEarlier: Whether to remove the copies of earlier holders of the job too.
    func discard(_ delivery: Delivery, ofEarlier: Bool) async
}
