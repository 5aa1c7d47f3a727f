package import FerryFoundation

/// What can be done to a transfer.
package enum TransferAction: String, CaseIterable, Codable, Sendable {
    /// Stops it and keeps its bytes: once this returns, they are durable.
    case pause
    /// Lets it go on; one that waits for a retry tries at once.
    case resume
    /// Ends it and removes its partial file.
    case cancel
    /// Starts one that failed or was canceled again, from the bytes that it still has.
    case retry
    /// Forgets it; cancels it first if it has not ended. The finished file stays.
    case remove
    /// Forgets it and deletes the file that it fetched, if that is still the same file.
    case removeWithFile = "remove_with_file"

    /// Whether a transfer that runs has to stop for it.
    package var isStop: Bool { self != .resume && self != .retry }

    /// Whether it ends the transfer for good.
    package var isEnd: Bool { isStop && self != .pause }
}

/// Which transfers an action is for.
package struct TransferSelection: Hashable, Codable, Sendable {
    /// The named ones; nil is all that the session filter lets through.
    package var ids: [TransferID]?
    package var session: SessionID?

    package init(ids: [TransferID]? = nil, session: SessionID? = nil) {
        self.ids = ids
        self.session = session
    }
}

/// What an action did to one transfer.
package struct ActionResult: Hashable, Codable, Sendable {
    package var id: TransferID
    /// The state afterwards; nil once it is removed or if the action failed.
    package var state: TransferState?
    package var error: ServiceError?

    package init(id: TransferID, state: TransferState? = nil, error: ServiceError? = nil) {
        self.id = id
        self.state = state
        self.error = error
    }
}

/// What to change about one transfer; absent keys stay as they are.
package struct TransferChange: Hashable, Codable, Sendable {
    package var action: TransferAction?
    package var priority: Priority?
    /// Bytes per second; 0 is no limit.
    package var rateLimit: Int64?
    /// Connections that fetch the file side by side, 1 to 64.
    package var connections: Int?
    /// A new address for the same bytes: ranges and identity stay, and its first answer is judged by them.
    package var url: String?
    /// Other URLs of the same file, in place of those that were given.
    package var mirrors: [String]?
    /// Another folder for a transfer that has not ended well.
    package var folder: String?
    /// Another name for a transfer that has not ended well, or for the file of one that has: within its folder.
    package var name: String?
    package var onConflict: ConflictPolicy?
    package var onMismatch: MismatchPolicy?

    /// Other fields of its own for every request from now on.
    package var headers: [HeaderField]?
    package var network: NetworkPolicy?
    /// The moment before which nothing is asked; the distant past takes it away.
    package var notBefore: Date?
    package var note: ClientNote?
    package var retryRule: RetryRule?
    /// Digests that the whole file must have, in place of those that were given.
    package var checksums: [Checksum]?
    /// An answer to the challenge that it waits with.
    package var answer: ChallengeAnswer?
    package var trustAnswer: TrustAnswer?

    package init() {}

    enum CodingKeys: String, CodingKey, CaseIterable {
        case action, priority, url, mirrors, connections, folder, name, headers, network, note, answer, checksums
        case retryRule = "retry_rule"
        case onConflict = "on_conflict"
        case onMismatch = "on_mismatch"
        case notBefore = "not_before"
        case trustAnswer = "trust_answer"
        case rateLimit = "rate_limit"
    }

    /// The keys that a change may have on the wire.
    package static let keys = Set(CodingKeys.allCases.map(\.rawValue))
}
