// Ferry: FerryCore
// A body that is stored from the start of the file.

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
