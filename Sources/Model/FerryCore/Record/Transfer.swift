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
    package var priority: Priority
    package var bytesReceived: Int64
    package var bytesExpected: Int64?
    /// Speed over the last seconds, or nil unless running.
    package var bytesPerSecond: Double?
    /// Absolute path of the file, present or future, or nil until its name is known.
    package var destination: String?
    package var folder: String
    package var names = Names()
    package var error: ServiceError?
    package var attempts: Int
    package var createdAt: Date
    package var times = Times()
    package var rateLimit: Int64
    package var tags: [String]
    /// Verified digests of a succeeded transfer.
    package var verified: [Checksum]
    /// Computed digests that differ from the expected ones, where the policy allows it.
    package var mismatched: [Checksum] = []
    package var lengthVerified: Bool
    /// Whether an existing file was kept unchanged.
    package var unchanged: Bool
    package var insecure: Bool
    package var etag: String?
    package var lastModified: String?
    package var contentType: String?
    package var redirects: [String]
    package var notes: [String]
    package var method: String
    package var sending = Sending()
    package var response: ResponseFacts?
    /// The exchanges with servers so far. Only for transfers with a note.
    package var exchanges: [ExchangeFacts]
    /// Number of restarts from byte 0.
    package var startedOver: Int
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
        package var start: Date?
        package var end: Date?
    }

    package var nextAttemptAt: Date? {
        get { times.nextAttempt }
        set { times.nextAttempt = newValue }
    }

    /// Start of the first attempt.
    package var startedAt: Date? {
        get { times.start }
        set { times.start = newValue }
    }

    package var finishedAt: Date? {
        get { times.end }
        set { times.end = newValue }
    }

    /// The uploaded content.
    package struct Sending: Hashable, Sendable {
        package var direction = TransferDirection.download
        package var file: String?
        package var sent: Int64 = 0
        package var length: Int64?
    }

    package var direction: TransferDirection {
        get { sending.direction }
        set { sending.direction = newValue }
    }

    /// Absolute path of the uploaded file, or nil for a download.
    package var file: String? {
        get { sending.file }
        set { sending.file = newValue }
    }

    /// Number of body bytes sent. A resumed upload counts from the first byte of its file.
    package var bytesSent: Int64 {
        get { sending.sent }
        set { sending.sent = newValue }
    }

    package var bytesToSend: Int64? {
        get { sending.length }
        set { sending.length = newValue }
    }

    /// The names of its file.
    package struct Names: Hashable, Sendable {
        /// The present or future name, or nil until it is known.
        package var chosen: String?
        /// The requested name, or nil if the response decides.
        package var given: String?
    }

    package var name: String? {
        get { names.chosen }
        set { names.chosen = newValue }
    }

    package var givenName: String? {
        get { names.given }
        set { names.given = newValue }
    }
}

/// Derives the displayed transfer from the stored record and the live state.
extension Transfer {
    /// The state of a transfer that exists only while the daemon runs.
    package enum Live: Hashable, Sendable {
        /// Without a slot, for this reason.
        case waiting(WaitReason)
        /// With a slot: bytes in the partial file, the complete length if known, bytes per second, and the parts of
        /// several connections.
        case running(received: Int64, expected: Int64?, speed: Double?, segments: [TransferSegment] = [])
    }

    /// Derives the state and all displayed properties.
    package init(_ record: TransferRecord, live: Live) {
        let facts = record.facts
        let request = record.request
        id = record.id
        session = request.session
        url = request.url
        finalURL = facts.finalURL
        priority = request.timing.priority
        bytesReceived = facts.ranges.byteCount
        bytesExpected = facts.identity?.completeLength ?? request.response.expectedSize
        destination = facts.destination
        folder = request.file.folder
        names = Names(chosen: facts.name, given: request.file.name)
        attempts = record.attempts
        createdAt = record.createdAt
        times = Times(start: facts.startedAt, end: record.finishedAt)
        rateLimit = request.transport.rateLimit
        tags = request.tags
        verified = []
        mismatched = []
        lengthVerified = facts.lengthVerified
        unchanged = false
        insecure = request.tls.insecure
        etag = facts.identity?.etag
        lastModified = facts.identity?.lastModified
        contentType = facts.identity?.contentType
        redirects = facts.redirects
        notes = facts.notes
        sending = Sending(direction: request.direction, sent: facts.bodySent ?? 0, length: request.body?.length)
        if case .file(let sent) = request.body { sending.file = sent.path }
        method = request.method
        response = facts.response
        exchanges = facts.exchanges ?? []
        startedOver = facts.startedOver ?? 0
        bytesSpent = facts.bytesSpent
        challenge = facts.challenge
        notBefore = request.timing.notBefore
        note = request.note
        own.durable = facts.ranges
        own.isEnding = record.outcome == nil && JournalPhase(record.core) == .canceling

        if let outcome = record.outcome {
            state = outcome.state
            switch outcome {
            case .succeeded(let success):
                destination = success.path
                bytesReceived = success.size
                bytesExpected = success.size
                verified = success.verified
                mismatched = success.mismatched
                lengthVerified = success.lengthVerified
                unchanged = success.unchanged
            case .failed(let failure): error = failure
            case .canceled:
                var cancellation = ServiceError(.canceled, "The transfer was canceled.")
                cancellation.details.cancelReason = facts.cancelReason
                error = cancellation
            }
            return
        }
        switch (record.intent, live) {
        case (_, .running(let received, let expected, let speed, let segments)):
            state = .running
            bytesReceived = received
            bytesExpected = expected ?? bytesExpected
            bytesPerSecond = speed
            self.segments = segments
        case (.suspend, _), (.cancel, _), (.remove, _), (.removeWithFile, _):
            state = .suspended
        case (.run, .waiting(let why)):
            state = .waiting
            reason = record.retry?.reason ?? why
            error = record.retry?.error
            // Until the client answers there is no retry date.
            let hasTime = record.retry.map { $0.delay < TransferMachine.untilAnswered } ?? false
            nextAttemptAt = hasTime ? record.retry?.at : nil
        }
    }
}
