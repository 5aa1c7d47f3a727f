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

    package init(id: TransferID, job: JobReference, state: State) {
        self.id = id
        self.job = job
        self.state = state
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

/// The transfers of the worker's session in its daemon.
struct LocalTransfers: Hashable, Sendable {
    /// Whether the daemon's list has been read since it was last lost.
    var isListed = false
    /// Whether jobs of transfers without a lease are still to be asked for, since the worker joined.
    var mayReclaim = false
    /// Transfers that the agent suspended, because others may fetch from their origins.
    private(set) var suspended: Set<TransferID> = []
    private var byToken: [JobToken: LocalTransfer] = [:]
    private var tokens: [TransferID: JobToken] = [:]

    subscript(token: JobToken) -> LocalTransfer? { byToken[token] }

    var all: [LocalTransfer] { byToken.values.sorted { $0.id < $1.id } }

    /// Replaces all. Returns transfers of jobs that have another one already: a submission was repeated.
    mutating func replace(with transfers: [LocalTransfer]) -> [TransferID] {
        isListed = true
        byToken = [:]
        tokens = [:]
        suspended = Set(transfers.lazy.filter { $0.state == .suspended }.map(\.id))
        var repeated: [TransferID] = []
        for transfer in transfers {
            if byToken[transfer.job.token] != nil { repeated.append(transfer.id) } else { set(transfer) }
        }
        return repeated
    }

    mutating func set(_ transfer: LocalTransfer) {
        // An event about a repeated submission's transfer says nothing about the first.
        if let known = byToken[transfer.job.token], known.id != transfer.id { return }
        byToken[transfer.job.token] = transfer
        tokens[transfer.id] = transfer.job.token
    }

    mutating func remove(_ id: TransferID) -> JobToken? {
        guard let token = tokens.removeValue(forKey: id) else { return nil }
        byToken[token] = nil
        suspended.remove(id)
        return token
    }

    mutating func suspend(_ id: TransferID) { suspended.insert(id) }
    mutating func resume(_ id: TransferID) { suspended.remove(id) }
}
