package import FerryFoundation

/// An action on a transfer.
package enum TransferAction: String, CaseIterable, Codable, Sendable {
    /// Stops it and keeps its bytes, which are durable when the call returns.
    case pause
    /// Resumes it. A transfer waiting for a retry is attempted at once.
    case resume
    /// Cancels it and removes its partial file.
    case cancel
    /// Restarts a failed or canceled transfer with its remaining bytes.
    case retry
    /// Removes it, after canceling it if unfinished. The finished file stays.
    case remove
    /// Removes it and deletes its finished file, if that is unchanged.
    case removeWithFile = "remove_with_file"

    /// Whether a running transfer must stop for it.
    package var isStop: Bool { self != .resume && self != .retry }

    /// Whether it ends the transfer permanently.
    package var isEnd: Bool { isStop && self != .pause }
}

/// The transfers of an action.
package struct TransferSelection: Hashable, Codable, Sendable {
    /// The listed transfers. Nil means all that match the session filter.
    package var ids: [TransferID]?
    package var session: SessionID?

    package init(ids: [TransferID]? = nil, session: SessionID? = nil) {
        self.ids = ids
        self.session = session
    }
}

/// The outcome of an action for one transfer.
package struct ActionResult: Hashable, Codable, Sendable {
    package var id: TransferID
    /// The state afterwards, or nil if it was removed or the action failed.
    package var state: TransferState?
    package var error: ServiceError?

    package init(id: TransferID, state: TransferState? = nil, error: ServiceError? = nil) {
        self.id = id
        self.state = state
        self.error = error
    }
}

/// Changes to one transfer. Absent keys stay as they are.
package struct TransferChange: Hashable, Codable, Sendable {
    package var action: TransferAction?
    package var priority: Priority?
    /// Bytes per second. 0 for no limit.
    package var rateLimit: Int64?
    /// Number of parallel connections, 1 to 64.
    package var connections: Int?
    /// A new URL of the same file. Ranges and identity stay and are compared with its first response.
    package var url: String?
    /// Other URLs of the same file, replacing the current ones.
    package var mirrors: [String]?
    /// A new folder for a transfer that has not succeeded.
    package var folder: String?
    /// The folders to which a changed file is limited. A new folder without them removes the former limit.
    package var allowedFolders: AllowedFolders?
    /// A new name for a transfer that has not succeeded, or for the finished file within its folder.
    package var name: String?
    package var onConflict: ConflictPolicy?
    package var onMismatch: MismatchPolicy?

    /// New header fields for all future requests.
    package var headers: [HeaderField]?
    package var network: NetworkPolicy?
    /// Earliest date of the next request. A date in the distant past removes it.
    package var notBefore: Date?
    package var note: ClientNote?
    package var retryRule: RetryRule?
    /// Expected digests of the whole file, replacing the current ones.
    package var checksums: [Checksum]?
    /// The answer to the challenge that it waits with.
    package var answer: ChallengeAnswer?
    package var trustAnswer: TrustAnswer?

    package init() {}

    enum CodingKeys: String, CodingKey, CaseIterable {
        case action, priority, url, mirrors, connections, folder, name, headers, network, note, answer, checksums
        case allowedFolders = "allowed_folders"
        case retryRule = "retry_rule"
        case onConflict = "on_conflict"
        case onMismatch = "on_mismatch"
        case notBefore = "not_before"
        case trustAnswer = "trust_answer"
        case rateLimit = "rate_limit"
    }

    /// The JSON keys of a change.
    package static let keys = Set(CodingKeys.allCases.map(\.rawValue))
}
