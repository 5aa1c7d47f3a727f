package import FerryCore

/// A transfer of the worker's daemon, as far as the agent looks at it.
package struct LocalTransfer: Hashable, Sendable {
    package enum State: Hashable, Sendable {
        /// Running, or about to: bytes so far, and all bytes if known.
        case active(received: Int64, expected: Int64?)
        /// Waiting for its next attempt, this many seconds from now.
        case waiting(seconds: Double, received: Int64, error: ServiceError?)
        case suspended
        /// Complete and verified, in the spool.
        case succeeded(LocalFile)
        case failed(ServiceError)
        case canceled
    }

    package var id: TransferID
    package var job: JobReference
    package var state: State
    /// Whether the daemon runs it only under the lease of its session.
    package var isLimited: Bool

    package init(id: TransferID, job: JobReference, state: State, isLimited: Bool = false) {
        self.id = id
        self.job = job
        self.state = state
        self.isLimited = isLimited
    }
}

/// A complete file in the spool of the worker's daemon.
package struct LocalFile: Hashable, Sendable {
    package var path: String
    package var size: Int64

    package init(path: String, size: Int64) {
        self.path = path
        self.size = size
    }
}
