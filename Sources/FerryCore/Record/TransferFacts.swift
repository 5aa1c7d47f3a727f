package import FerryFoundation

/// What is durable about one transfer: the bytes on disk and what they belong to.
///
/// Never claims more than the disk holds: the partial file is synced before ranges are recorded.
package struct TransferFacts: Hashable, Sendable {
    /// Bytes of the partial file that survive a power cut, and what they must still be compared with.
    package var bytes = DurableBytes()
    package var identity: ResourceIdentity?
    package var partial: PartialFacts?
    /// How the partial file looked when the last attempt ended; nil while it may be written to.
    package var stamp: FileStamp?
    /// The name that the first accepted head fixed.
    package var name: String?
    /// The reserved absolute path; no other live transfer aims at it.
    package var destination: String?
    package var placement: PlacementIntent?
    package var finalURL: String?
    /// URLs met on the way, without userinfo and query values.
    package var redirects: [String] = []
    /// Changes of the version in a row without finishing.
    package var restarts = 0
    /// Whether the bytes come from more than one response.
    package var joined = false
    /// Whether ranges are off for this transfer.
    package var rangesOff = false
    /// Whether the next request asks caches to revalidate.
    package var bypassesCaches = false
    /// Whether a digest mismatch of joined bytes has been answered by a restart.
    package var restartedByDigest = false
    /// Whether the end of the body was told by more than the end of the connection.
    package var lengthVerified = true
    /// Whether a truncation that the journal has recorded may not have reached the disk.
    package var needsTruncation = false
    /// Whether a file of the partial file's name is not Ferry's, and is left alone.
    package var partialNameIsForeign = false
    /// What a user should know about how the file came.
    package var notes: [String] = []

    /// Body bytes that servers sent for it over its life.
    package var bytesSpent: Int64 = 0
    /// The most bytes of this version of the file that were on disk at one time; to fetch up to here again is no progress.
    package private(set) var frontier: Int64 = 0

    /// When the first attempt began.
    package var startedAt: Date?
    /// Absolute path of a copy on its way to the final name: a partial file in another file system is placed by copying it.
    package var copy: String?
    /// The response that the bytes are the body of, or the one that failed the transfer.
    package var response: ResponseFacts?
    /// The exchanges of this transfer so far, the oldest first; kept for transfers with a note.
    package var exchanges: [ExchangeFacts]?
    /// How often another connection got no part of the file that could be used.
    package var unusableParts: Int?
    /// How often bytes were given up for a start from 0.
    package var startedOver: Int?
    /// How far its body has been sent.
    private var sending = SendingFacts()
    /// What it waits for an answer to.
    package var challenge: PendingChallenge?
    /// Where its bytes went when its client took them to continue later.
    package var released: PartialSource?
    /// Whether its app made it while it was launched for events: it starts after the delay that follows launches.
    package var startsAfterRelaunch: Bool?
    /// Why others than its client have canceled it; 0 is the user's force-quit.
    package var cancelReason: Int?

    package init() {}

    private struct SendingFacts: Hashable, Sendable {
        var sent: Int64?
        var upload: UploadFacts?
    }

    /// Bytes of the request's body that were sent.
    package var bodySent: Int64? {
        get { sending.sent }
        set { sending.sent = newValue }
    }

    /// The upload of its body, where the server may resume it.
    package var upload: UploadFacts? {
        get { sending.upload }
        set { sending.upload = newValue }
    }

    package var ranges: ByteRangeSet {
        get { bytes.ranges }
        set { bytes.ranges = newValue }
    }

    package var pendingDigests: PendingDigests {
        get { bytes.pendingDigests }
        set { bytes.pendingDigests = newValue }
    }

    /// Whether there is something on disk that a start has to look at after the transfer has ended.
    package var leavesWork: Bool { partial != nil || placement?.formerPath != nil }

    /// Takes bytes and identity out, as before a restart; keeps the partial file, name and reservation.
    ///
    /// - Parameter isSameVersion: whether the server most likely sends the bytes again that were given up.
    package mutating func startOver(note: String?, isSameVersion: Bool = false) {
        if isSameVersion { advance() } else { frontier = 0 }
        if !ranges.isEmpty { startedOver = (startedOver ?? 0) + 1 }
        bytes = DurableBytes()
        identity = nil
        placement = nil
        stamp = nil
        joined = false
        unusableParts = nil
        lengthVerified = true
        needsTruncation = partial != nil
        if let note, notes.last != note { notes.append(note) }
    }

    /// Takes out a partial file that is gone for good.
    package mutating func giveUpFile() {
        partial = nil
        stamp = nil
        bytes = DurableBytes()
        frontier = 0
    }

    /// Moves the frontier to what is on disk, if that is more than ever before.
    ///
    /// - Returns: by how many bytes.
    @discardableResult
    package mutating func advance() -> Int64 {
        let gained = max(0, ranges.byteCount - frontier)
        frontier += gained
        return gained
    }

    /// Brings the counts of bytes into their range.
    mutating func clampBytes(_ care: OutOfRangePolicy<Never>) {
        care.apply(.bytes, to: &bytesSpent)
        care.apply(.bytes, to: &frontier)
    }

    /// Sets what was stored of ``frontier``.
    mutating func restore(frontier: Int64) { self.frontier = frontier }
}
