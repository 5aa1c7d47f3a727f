package import FerryCore
import Synchronization

/// A file to deliver.
package struct Delivery: Hashable, Sendable {
    package var key: LeaseKey
    package var file: LocalFile
    /// Absolute path of the shared folder.
    package var folder: String
    package var name: String
    package var policy: ConflictPolicy
    /// Number of this attempt of the worker. Answers of earlier ones count for nothing.
    package var attempt: Int
    /// Name of the copy until it is placed: unique among all workers, claims and attempts, so that nobody ever writes into
    /// another's copy, not even after a fail-over that gives a fence twice.
    package var copyName: String

    package init(
        key: LeaseKey, file: LocalFile, folder: String, name: String, policy: ConflictPolicy, writer: String,
        attempt: Int
    ) {
        self.key = key
        self.file = file
        self.folder = folder
        self.name = name
        self.policy = policy
        self.attempt = attempt
        copyName = ".ferry-fleet-\(key.job)-\(key.fence)-\(writer)-\(attempt).part"
    }
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
    /// Whether the folder below the store does not exist yet.
    var isAbsent = false

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
    /// Looks at a job's destination before anything is fetched.
    ///
    /// Removes the copies of all known intents first: a holder that was held up cannot place its copy any more. Makes no
    /// folder.
    /// - Returns: The job's file if it is at its name, a foreign file that the policy `skip` keeps, or `nil`.
    /// - Throws: A failure that is not temporary if the destination is in no store, or taken under the policy `fail`.
    func look(_ look: Look) async throws(DeliveryFailure) -> JobResult?

    /// Copies the file to the store, durably, under a name of its own.
    ///
    /// Stops when the task is canceled.
    /// - Parameter progress: Counts the bytes that the store has taken, durably or not.
    func prepare(_ delivery: Delivery, _ progress: CopyProgress) async throws(DeliveryFailure) -> PreparedFile

    /// Gives the copy its final name, if the name is free or the policy allows it.
    ///
    /// - Parameter known: All intents of the job, read after this file's intent was recorded.
    func place(_ file: PreparedFile, of delivery: Delivery, known: [Intent]) async throws(DeliveryFailure) -> Placement

    /// Removes the copy, and those of these intents. Errors are ignored: `ferry fleet sweep` finds what is left.
    func discard(_ delivery: Delivery, and earlier: [Intent]) async
}

/// The progress of a copy to a store, and the wish to stop it.
package final class CopyProgress: Sendable {
    private let count = Atomic<Int64>(0)
    private let stopped = Atomic(false)

    package init() {}

    /// Number of bytes that the store has taken.
    package var bytes: Int64 { count.load(ordering: .relaxed) }

    var isStopped: Bool { stopped.load(ordering: .relaxed) }

    func add(_ bytes: Int) { count.add(Int64(bytes), ordering: .relaxed) }
    func stop() { stopped.store(true, ordering: .relaxed) }
}
