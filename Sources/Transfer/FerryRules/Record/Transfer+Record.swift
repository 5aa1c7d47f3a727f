package import FerryCore

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
        self.init(
            record.id, in: request.session, url: request.url, state: .suspended, createdAt: record.createdAt)
        finalURL = facts.finalURL
        priority = request.timing.priority
        bytesReceived = facts.ranges.byteCount
        bytesExpected = facts.identity?.completeLength ?? request.response.expectedSize
        // A name requested since the head counts when the file is complete.
        let given = request.file.name
        let isRenamed = facts.name != nil && given != nil && facts.name?.lastPathPart != given?.lastPathPart
        destination = isRenamed ? Destination.likelyPath(of: request) : facts.destination
        folder = request.file.folder
        names.chosen = isRenamed ? request.file.name : facts.name
        names.given = request.file.name
        attempts = record.attempts
        times.start = facts.startedAt
        times.end = record.finishedAt
        rateLimit = request.transport.rateLimit
        tags = request.tags
        lengthVerified = facts.lengthVerified
        insecure = request.tls.insecure
        etag = facts.identity?.etag
        lastModified = facts.identity?.lastModified
        contentType = facts.identity?.contentType
        redirects = facts.redirects
        notes = facts.notes
        sending.direction = request.direction
        sending.sent = facts.sending.sent ?? 0
        sending.length = request.body?.length
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
            times.nextAttempt = hasTime ? record.retry?.at : nil
        }
    }
}
