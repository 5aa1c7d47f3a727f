/// What to do about a response. Nothing of its body is stored unless the decision is `start` or `continueAt`.
package enum ResumeDecision: Hashable, Sendable {
    /// Ask the target of this `Location` with the same range and validator, by the rules for redirects.
    case follow(location: String)
    /// This extra worker ends; the transfer goes on without it.
    case leave
    /// The origin allows no more connections; this worker ends and nothing is counted.
    case hostLimit
    /// The file at the destination is up to date.
    case unchanged
    /// Keep the bytes on disk and try again as the error's class says; at the limit the error is the outcome.
    case retryLater(ServiceError)
    /// Give up the bytes on disk, if any, and store this body from position 0.
    case start(AcceptedBody)
    /// Store the body at `offset`, and nothing at or beyond `until`; ask again for what is still missing then.
    case continueAt(offset: Int64, until: Int64, identity: ResourceIdentity)
    /// Ask for the whole file; the bytes on disk go when that request's head is accepted.
    case restart(RestartReason, rangesOff: Bool)
    /// Ask the same once more, on a connection of its own.
    case askOnceMoreFresh
    /// Close this response and ask for the same range without `If-Range`.
    case askUnconditionalRange
    /// All bytes are there, and the file is this long: verify and place it.
    case alreadyComplete(length: Int64)
    /// Ask the original URL at once, one request for all workers.
    case askOriginalURL
    /// A captive portal answered: wait until the network is usable.
    case waitForNetwork
    case fail(ServiceError)
}

/// A decision and the row of the table that made it.
package struct ResumeVerdict: Hashable, Sendable {
    /// Row of the decision table; 0 if the head was unusable before any row could match
    /// (docs/behaviour/transfers.md#R5).
    package let row: Int
    package let decision: ResumeDecision

    init(_ row: Int, _ decision: ResumeDecision) {
        self.row = row
        self.decision = decision
    }

    /// Whether the bytes on disk give way to another version, which may happen only so many times in a row; a restart and the
    /// body that follows it count once.
    package var countsAsRestart: Bool {
        switch decision {
        case .restart(let reason, _): reason.isOtherVersion
        case .start(let body): body.restart?.isOtherVersion == true
        default: false
        }
    }
}

/// Why the bytes on disk are given up, in the words of the record.
package enum RestartReason: String, Hashable, Sendable {
    case lengthChanged = "restarted: the complete length on the server is another"
    case versionChanged = "restarted: the server has another version"
    case rangesUnusable = "restarted: the server's answers to range requests cannot be used"
    case versionUnknown = "restarted: the server does not say which version its answer belongs to"
    case rangeIgnored = "restarted: the server sent the whole file, since it changed or cannot be sent in parts"
    case rangeRefused = "restarted: the server refused to continue"

    /// Whether the server was seen to have another version than the bytes on disk; else it sends the same again.
    package var isOtherVersion: Bool {
        switch self {
        case .lengthChanged, .versionChanged: true
        case .rangesUnusable, .versionUnknown, .rangeIgnored, .rangeRefused: false
        }
    }

    package var note: String { rawValue }
}

/// A body whose bytes are stored from position 0, and what its head said about it.
package struct AcceptedBody: Hashable, Sendable {
    package var framing: BodyFraming
    /// How many bytes of the file this body brings, where the head says it.
    package var end: Int64?
    /// Length of the whole file, where the head says it.
    package var completeLength: Int64?
    package var identity: ResourceIdentity
    /// Whether later requests may ask for the rest or for parts of it.
    package var isResumable: Bool
    /// Why the bytes on disk give way to this body, if there are any.
    package var restart: RestartReason?
    package var notes: [BodyNote] = []
    /// Whether a content coding is taken off, so that the file has another length than the body.
    package private(set) var isDecoded = false

    /// Lets the file be the decoded content: nothing that the head says about lengths and digests is about that.
    package mutating func becomeDecoded() {
        isDecoded = true
        isResumable = false
        end = nil
        completeLength = nil
        identity.completeLength = nil
        identity.reprDigests = []
        notes.removeAll { $0 == .contentEncoded }
    }
}

/// What a user should know about a body, as it stands in the record.
package enum BodyNote: String, Hashable, Sendable {
    case contentEncoded = "stored with the content encoding that the server applied"
    case lengthUnverified = "length unverified"
    case statusIsResult = "the response is the result, whatever its status"
}
