// Ferry: FerryCore
// What to do about a response.

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
    case retryLater(TransferError)
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
    case fail(TransferError)
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
