package import FerryFoundation

/// A transfer as all clients see it.
package struct Transfer: Hashable, Sendable {
    package var id: TransferID
    package var session: SessionID
    /// The submitted URL, without userinfo.
    package var url: String
    /// The URL after redirects.
    package var finalURL: String?
    package var state: TransferState
    /// Why it waits, or nil in every other state.
    package var reason: WaitReason?
    package var priority = Priority.normal
    package var bytesReceived: Int64 = 0
    package var bytesExpected: Int64?
    /// Speed over the last seconds, or nil unless running.
    package var bytesPerSecond: Double?
    /// Absolute path of the file, present or future, or nil until its name is known.
    package var destination: String?
    package var folder = ""
    package var names = Names()
    package var error: ServiceError?
    package var attempts = 0
    package var createdAt: Date
    package var times = Times()
    package var rateLimit: Int64 = 0
    package var tags: [String] = []
    /// Verified digests of a succeeded transfer.
    package var verified: [Checksum] = []
    /// Computed digests that differ from the expected ones, where the policy allows it.
    package var mismatched: [Checksum] = []
    package var lengthVerified = true
    /// Whether an existing file was kept unchanged.
    package var unchanged = false
    package var insecure = false
    package var etag: String?
    package var lastModified: String?
    package var contentType: String?
    package var redirects: [String] = []
    package var notes: [String] = []
    package var method = "GET"
    package var sending = Sending()
    package var response: ResponseFacts?
    /// The exchanges with servers so far. Only for transfers with a note.
    package var exchanges: [ExchangeFacts] = []
    /// Number of restarts from byte 0.
    package var startedOver = 0
    /// Body bytes received from servers in total, including bytes fetched again.
    package var bytesSpent: Int64 = 0
    package var challenge: PendingChallenge?
    /// Earliest date of the first request.
    package var notBefore: Date?
    package var note: ClientNote?
    /// The parts being fetched. Empty unless running with several connections.
    package var segments: [TransferSegment] = []
    /// Facts known only to the owning process. Not encoded.
    package var own = Own()

    package init(_ id: TransferID, in session: SessionID, url: String, state: TransferState, createdAt: Date) {
        self.id = id
        self.session = session
        self.url = url
        self.state = state
        self.createdAt = createdAt
    }
}

extension Transfer {
    /// Facts known only to the owning process. Ignored when transfers are compared.
    package struct Own: Hashable, Sendable {
        /// The durable bytes.
        package var durable = ByteRangeSet()
        /// Whether it waits but has already had a slot: see ``WaitReason/ofActive``.
        package var isActive = false
        /// Whether its end was requested and its disk has not responded yet.
        package var isEnding = false
        /// Number of bytes read to verify the whole file, or nil if not verifying.
        package var verifiedLength: Int64?
        /// Whether all bytes are present but not yet verified.
        package var waitsForVerification = false

        package static func == (left: Own, right: Own) -> Bool { true }
        package func hash(into hasher: inout Hasher) {}
    }

    /// Dates of its attempts.
    package struct Times: Hashable, Sendable {
        package var nextAttempt: Date?
        /// Start of the first attempt.
        package var start: Date?
        package var end: Date?
    }

    /// The uploaded content.
    package struct Sending: Hashable, Sendable {
        package var direction = TransferDirection.download
        /// Absolute path of the uploaded file, or nil for a download.
        package var file: String?
        /// Number of body bytes sent. A resumed upload counts from the first byte of its file.
        package var sent: Int64 = 0
        package var length: Int64?
    }

    /// The name that the file would have, if another file did not have it already.
    ///
    /// - Returns: Nil if the file has its name, or has no place yet.
    package var takenName: String? {
        guard state == .succeeded, !unchanged, sending.direction == .download,
            let name = (names.chosen ?? names.given)?.lastPathPart, let placed = destination?.lastPathPart,
            placed != name
        else { return nil }
        return name
    }

    /// The names of its file.
    package struct Names: Hashable, Sendable {
        /// The present or future name, or nil until it is known.
        package var chosen: String?
        /// The requested name, or nil if the response decides.
        package var given: String?
    }
}
