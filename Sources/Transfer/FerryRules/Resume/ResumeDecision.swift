package import FerryCore

/// The reaction to a response. Its body is stored only with `start` and `continueAt`.
package enum ResumeDecision: Hashable, Sendable {
    /// Follows the redirect with the same range and validator, by the redirect rules.
    case follow(location: String)
    /// This extra worker ends. The transfer continues without it.
    case leave
    /// The origin allows no more connections. This worker ends, and no failure is counted.
    case hostLimit
    /// The file at the destination is up to date.
    case unchanged
    /// Keeps the bytes on disk and retries by the error's class. At the limit the transfer fails with the error.
    case retryLater(ServiceError)
    /// Drops the bytes on disk, if any, and stores this body from byte 0.
    case start(AcceptedBody)
    /// Stores the body at `offset`, up to `until`. Missing bytes are then requested again.
    case continueAt(offset: Int64, until: Int64, identity: ResourceIdentity)
    /// Requests the whole file. The bytes on disk are dropped when that response's head is accepted.
    case restart(RestartReason, rangesOff: Bool)
    /// Repeats the request once, on a new connection.
    case askOnceMoreFresh
    /// Closes this response and requests the same range without `If-Range`.
    case askUnconditionalRange
    /// All bytes are present, and this is the length: verifies and places the file.
    case alreadyComplete(length: Int64)
    /// Requests the original URL at once, with one request for all workers.
    case askOriginalURL
    /// The response comes from a captive portal: waits for a usable network.
    case waitForNetwork
    case fail(ServiceError)
}

/// A decision and the table row that made it.
package struct ResumeVerdict: Hashable, Sendable {
    /// Row of the decision table, or 0 if the head was unusable before any row could match
    /// (docs/behaviour/transfers.md#R5).
    package let row: Int
    package let decision: ResumeDecision

    init(_ row: Int, _ decision: ResumeDecision) {
        self.row = row
        self.decision = decision
    }

    /// Whether the bytes on disk are replaced by another version, which is limited in a row. A restart and the body
    /// that follows it count once.
    package var countsAsRestart: Bool {
        switch decision {
        case .restart(let reason, _): reason.isOtherVersion
        case .start(let body): body.restart?.isOtherVersion == true
        default: false
        }
    }
}

/// The reason for dropping the bytes on disk, as recorded.
package enum RestartReason: String, Hashable, Sendable {
    case lengthChanged = "restarted: the file on the server has another length"
    case versionChanged = "restarted: the server has another version"
    case rangesUnusable = "restarted: the server's responses to range requests are unusable"
    case versionUnknown = "restarted: the server's response does not identify its version"
    case rangeIgnored = "restarted: the server sent the whole file, since it changed or cannot be sent in parts"
    case rangeRefused = "restarted: the server refused to continue"

    /// Whether the server has another version than the bytes on disk. Otherwise it sends the same bytes again.
    package var isOtherVersion: Bool {
        switch self {
        case .lengthChanged, .versionChanged: true
        case .rangesUnusable, .versionUnknown, .rangeIgnored, .rangeRefused: false
        }
    }

    package var note: String { rawValue }
}

/// A body to store from byte 0, and its head's description.
package struct AcceptedBody: Hashable, Sendable {
    package var framing: BodyFraming
    /// End of this body in the file, if the head states it.
    package var end: Int64?
    /// Length of the whole file, if the head states it.
    package var completeLength: Int64?
    package var identity: ResourceIdentity
    /// Whether later requests may fetch remaining bytes or parts.
    package var isResumable: Bool
    /// Why this body replaces the bytes on disk, if there are any.
    package var restart: RestartReason?
    package var notes: [BodyNote] = []
    /// Whether a content coding is decoded, so that file and body differ in length.
    package private(set) var isDecoded = false

    /// Makes the file the decoded content. Lengths and digests of the head do not apply to it.
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

/// A note for the user about a body, as recorded.
package enum BodyNote: String, Hashable, Sendable {
    case contentEncoded = "stored with the content encoding that the server applied"
    case lengthUnverified = "length unverified"
    case statusIsResult = "the response is the result, whatever its status"
}
