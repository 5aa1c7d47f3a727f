package import FerryCore
package import FerryFoundation

/// The durable facts about one transfer: the bytes on disk and the resource they belong to.
///
/// Never claims more than is on disk: the partial file is synced before ranges are recorded.
package struct TransferFacts: Hashable, Sendable {
    /// The durable bytes of the partial file, and their pending digests.
    package var bytes = DurableBytes()
    package var identity: ResourceIdentity?
    package var partial: PartialFacts?
    /// The state of the partial file when the last attempt ended, or nil while it may be written to.
    package var stamp: FileStamp?
    /// The name chosen at the first accepted response head.
    package var name: String?
    /// The reserved absolute path. No other live transfer has the same.
    package var destination: String?
    package var placement: PlacementIntent?
    package var finalURL: String?
    /// The URLs of redirects, without userinfo and query values.
    package var redirects: [String] = []
    /// Consecutive version changes without completion.
    package var restarts = 0
    /// Whether the bytes come from more than one response.
    package var joined = false
    /// Whether range requests are disabled for this transfer.
    package var rangesOff = false
    /// Whether the next request makes caches revalidate.
    package var bypassesCaches = false
    /// Whether a digest mismatch of joined bytes has already caused a restart.
    package var restartedByDigest = false
    /// Whether the length was confirmed by more than the end of the connection.
    package var lengthVerified = true
    /// Whether a recorded truncation may not have reached the disk.
    package var needsTruncation = false
    /// Whether a file with the partial file's name belongs to another program and is left alone.
    package var partialNameIsForeign = false
    /// Notes for the user about how the file was downloaded.
    package var notes: [String] = []

    /// Body bytes received from servers in total.
    package var bytesSpent: Int64 = 0
    /// The largest number of bytes of this version that were ever on disk. Fetching up to here again is not progress.
    package private(set) var frontier: Int64 = 0

    /// Start of the first attempt.
    package var startedAt: Date?
    /// Absolute path of a temporary copy on its way to the final name. A partial file on another file system is placed
    /// by copying.
    package var copy: String?
    /// The response whose body the bytes are, or the failed response.
    package var response: ResponseFacts?
    /// The exchanges so far, oldest first. Only for transfers with a note.
    package var exchanges: [ExchangeFacts]?
    /// Number of further connections that got no usable part.
    package var unusableParts: Int?
    /// Number of restarts from byte 0.
    package var startedOver: Int?
    package var sending = Sending()
    /// The challenge that it waits with.
    package var challenge: PendingChallenge?
    /// The file with its bytes after its client has taken them to resume later.
    package var released: PartialSource?
    /// Whether its app created it after a launch for events. It then starts after the relaunch delay.
    package var startsAfterRelaunch: Bool?
    /// Why it was canceled other than by its client. 0 is the user's force-quit.
    package var cancelReason: Int?

    package init() {}

    /// The state of the request body.
    package struct Sending: Hashable, Sendable {
        /// Number of body bytes sent.
        package var sent: Int64?
        /// Whether the server may have received a request that must not be sent twice.
        ///
        /// Recorded before the request's first byte leaves, so that a crash does not repeat the request.
        package var mayHaveArrived = false
        /// The resumable upload of the body, if the server supports it.
        package var upload: UploadFacts?
    }

    package var ranges: ByteRangeSet {
        get { bytes.ranges }
        set { bytes.ranges = newValue }
    }

    package var pendingDigests: PendingDigests {
        get { bytes.pendingDigests }
        set { bytes.pendingDigests = newValue }
    }

    package var prefix: PrefixDigest? {
        get { bytes.prefix }
        set { bytes.prefix = newValue }
    }

    /// Whether the next start of the daemon must check the disk after the transfer has finished.
    package var leavesWork: Bool { partial != nil || placement?.formerPath != nil }

    /// Removes bytes and identity before a restart. Keeps partial file, name and reservation.
    ///
    /// - Parameter isSameVersion: Whether the server probably sends the dropped bytes again.
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

    /// Removes the bytes of a file that another program has removed, replaced or changed.
    ///
    /// Fetching them again counts as progress the first time only, so that a disk that never keeps a file ends the
    /// transfer by its limits.
    package mutating func loseBytes(note: String) { startOver(note: note, isSameVersion: startedOver != nil) }

    /// Removes a partial file that is permanently lost.
    package mutating func giveUpFile() {
        partial = nil
        stamp = nil
        bytes = DurableBytes()
        frontier = 0
    }

    /// Advances the frontier to the bytes on disk, if there are more than ever before.
    ///
    /// - Returns: The number of new bytes.
    @discardableResult
    package mutating func advance() -> Int64 {
        let gained = max(0, ranges.byteCount - frontier)
        frontier += gained
        return gained
    }

    /// Clamps the byte counts.
    mutating func clampBytes(_ policy: OutOfRangePolicy<Never>) {
        policy.apply(.bytes, to: &bytesSpent)
        policy.apply(.bytes, to: &frontier)
    }

    /// Sets the stored ``frontier``.
    mutating func restore(frontier: Int64) { self.frontier = frontier }
}
