package import FerryFoundation

/// One transfer as every face shows it.
package struct Transfer: Hashable, Sendable {
    package var id: TransferID
    package var session: SessionID
    /// The URL as submitted, without userinfo.
    package var url: String
    /// Where the redirects led.
    package var finalURL: String?
    package var state: TransferState
    /// Why it waits; nil in every other state.
    package var reason: WaitReason?
    package var priority: Priority
    package var bytesReceived: Int64
    package var bytesExpected: Int64?
    /// Speed over the last seconds; nil unless running.
    package var bytesPerSecond: Double?
    /// Absolute path of the file, or where it will be; nil until its name is known.
    package var destination: String?
    package var folder: String
    package var names = Names()
    package var error: ServiceError?
    package var attempts: Int
    package var createdAt: Date
    package var times = Times()
    package var rateLimit: Int64
    package var tags: [String]
    /// Digests that were checked, once it has succeeded.
    package var verified: [Checksum]
    /// Digests of the file whose expected ones disagreed, where that is no failure.
    package var mismatched: [Checksum] = []
    package var lengthVerified: Bool
    /// Whether the file was there already and stayed as it was.
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
    /// The exchanges with servers so far; only of transfers with a note.
    package var exchanges: [ExchangeFacts]
    /// How often bytes were given up for a start from 0.
    package var startedOver: Int
    /// Body bytes that servers sent for it over its life, including bytes that were fetched again.
    package var bytesSpent: Int64 = 0
    package var challenge: PendingChallenge?
    /// The moment before which nothing is asked.
    package var notBefore: Date?
    package var note: ClientNote?
    /// What each of several connections fetches; empty unless running with more than one.
    package var segments: [TransferSegment] = []
    /// Facts that only the process that owns the transfer knows; they are in no JSON.
    package var own = Own()
}

extension Transfer {
    /// Facts that only the process that owns a transfer knows. Two transfers that show the same are equal, whatever this is.
    package struct Own: Hashable, Sendable {
        /// The bytes that survive a power cut.
        package var durable = ByteRangeSet()
        /// Whether it waits, but has had its turn: see ``WaitReason/ofActive``.
        package var isActive = false
        /// Whether its end was asked for, and its disk has not let it end.
        package var isEnding = false
        /// Bytes of the whole file that were read for its digests; nil while none are read.
        package var verifiedLength: Int64?
        /// Whether all its bytes are there, and its digests are still to be computed.
        package var waitsForVerification = false

        package static func == (left: Own, right: Own) -> Bool { true }
        package func hash(into hasher: inout Hasher) {}
    }

    /// Moments of its attempts.
    package struct Times: Hashable, Sendable {
        package var nextAttempt: Date?
        package var start: Date?
        package var end: Date?
    }

    package var nextAttemptAt: Date? {
        get { times.nextAttempt }
        set { times.nextAttempt = newValue }
    }

    /// When its first attempt began.
    package var startedAt: Date? {
        get { times.start }
        set { times.start = newValue }
    }

    package var finishedAt: Date? {
        get { times.end }
        set { times.end = newValue }
    }

    /// The content that its request sends.
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

    /// Absolute path of the file that is uploaded; nil for a download.
    package var file: String? {
        get { sending.file }
        set { sending.file = newValue }
    }

    /// Bytes of the request's body that have left; those of an upload that goes on are counted from its first byte on.
    package var bytesSent: Int64 {
        get { sending.sent }
        set { sending.sent = newValue }
    }

    package var bytesToSend: Int64? {
        get { sending.length }
        set { sending.length = newValue }
    }

    /// What its file is called.
    package struct Names: Hashable, Sendable {
        /// The name that it has or gets; nil until it is known.
        package var chosen: String?
        /// The name that was asked for; nil where the response decides.
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

/// From what is stored and what runs to what is shown.
extension Transfer {
    /// What is known of a transfer only while the daemon lives.
    package enum Live: Hashable, Sendable {
        /// Has no slot, for this reason.
        case waiting(WaitReason)
        /// Has a slot; bytes in the partial file, the complete length if known, bytes per second, what several connections do.
        case running(received: Int64, expected: Int64?, speed: Double?, segments: [TransferSegment] = [])
    }

    /// Computes the state and everything shown from the record and what is live.
    package init(_ record: TransferRecord, live: Live) {
        let facts = record.facts
        let request = record.request
        id = record.id
        session = request.session
        url = request.url
        finalURL = facts.finalURL
        priority = request.priority
        bytesReceived = facts.ranges.byteCount
        bytesExpected = facts.identity?.completeLength ?? request.expectedSize
        destination = facts.destination
        folder = request.folder
        names = Names(chosen: facts.name, given: request.name)
        attempts = record.attempts
        createdAt = record.createdAt
        times = Times(start: facts.startedAt, end: record.finishedAt)
        rateLimit = request.rateLimit
        tags = request.tags
        verified = []
        mismatched = []
        lengthVerified = facts.lengthVerified
        unchanged = false
        insecure = request.insecure
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
        notBefore = request.notBefore
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
            // Until the client answers, there is no time to name.
            let hasTime = record.retry.map { $0.delay < TransferMachine.untilAnswered } ?? false
            nextAttemptAt = hasTime ? record.retry?.at : nil
        }
    }
}
