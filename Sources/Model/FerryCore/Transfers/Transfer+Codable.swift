import FerryFoundation

/// The JSON form of a transfer.
extension Transfer: Codable {
    /// The keys, in display order.
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case id, session, note, url
        case finalURL = "final_url"
        case state, reason
        case bytesReceived = "bytes_received"
        case bytesExpected = "bytes_expected"
        case bytesSpent = "bytes_spent"
        case startedOver = "started_over"
        case bytesPerSecond = "bytes_per_second"
        case destination, folder, name, priority
        case rateLimit = "rate_limit"
        case error, attempts
        case nextAttemptAt = "next_attempt_at"
        case createdAt = "created_at"
        case startedAt = "started_at"
        case finishedAt = "finished_at"
        case tags
        case contentType = "content_type"
        case etag
        case lastModified = "last_modified"
        case verified, mismatched
        case lengthVerified = "length_verified"
        case unchanged, insecure, redirects, notes
        case direction, file, method, response, exchanges, challenge, segments
        case bytesSent = "bytes_sent"
        case bytesToSend = "bytes_to_send"
        case givenName = "given_name"
        case notBefore = "not_before"
    }

    package init(from decoder: any Decoder) throws {
        let box = try decoder.container(keyedBy: CodingKeys.self)
        id = try box.decode(TransferID.self, forKey: .id)
        session = try box.decode(SessionID.self, forKey: .session)
        url = try box.decode(String.self, forKey: .url)
        finalURL = try box.decodeIfPresent(String.self, forKey: .finalURL)
        state = try box.decode(TransferState.self, forKey: .state)
        reason = try box.decodeIfPresent(WaitReason.self, forKey: .reason)
        priority = try box.decodeIfPresent(Priority.self, forKey: .priority) ?? .normal
        bytesReceived = max(0, try box.decode(Int64.self, forKey: .bytesReceived))
        bytesExpected = try box.decodeIfPresent(Int64.self, forKey: .bytesExpected).map { max(0, $0) }
        bytesPerSecond = try box.decodeIfPresent(Double.self, forKey: .bytesPerSecond)
        destination = try box.decodeIfPresent(String.self, forKey: .destination)
        folder = try box.decodeIfPresent(String.self, forKey: .folder) ?? ""
        names = Names(
            chosen: try box.decodeIfPresent(String.self, forKey: .name),
            given: try box.decodeIfPresent(String.self, forKey: .givenName))
        error = try box.decodeIfPresent(ServiceError.self, forKey: .error)
        attempts = try box.decodeIfPresent(Int.self, forKey: .attempts) ?? 0
        createdAt = try box.decode(Date.self, forKey: .createdAt)
        times = Times(
            nextAttempt: try box.decodeIfPresent(Date.self, forKey: .nextAttemptAt),
            start: try box.decodeIfPresent(Date.self, forKey: .startedAt),
            end: try box.decodeIfPresent(Date.self, forKey: .finishedAt))
        rateLimit = try box.decodeIfPresent(Int64.self, forKey: .rateLimit) ?? 0
        tags = try box.decodeIfPresent([String].self, forKey: .tags) ?? []
        verified = try box.decodeIfPresent([Checksum].self, forKey: .verified) ?? []
        mismatched = try box.decodeIfPresent([Checksum].self, forKey: .mismatched) ?? []
        lengthVerified = try box.decodeIfPresent(Bool.self, forKey: .lengthVerified) ?? true
        unchanged = try box.decodeIfPresent(Bool.self, forKey: .unchanged) ?? false
        insecure = try box.decodeIfPresent(Bool.self, forKey: .insecure) ?? false
        etag = try box.decodeIfPresent(String.self, forKey: .etag)
        lastModified = try box.decodeIfPresent(String.self, forKey: .lastModified)
        contentType = try box.decodeIfPresent(String.self, forKey: .contentType)
        redirects = try box.decodeIfPresent([String].self, forKey: .redirects) ?? []
        notes = try box.decodeIfPresent([String].self, forKey: .notes) ?? []
        method = try box.decodeIfPresent(String.self, forKey: .method) ?? "GET"
        sending = Sending(
            direction: try box.decodeIfPresent(TransferDirection.self, forKey: .direction) ?? .download,
            file: try box.decodeIfPresent(String.self, forKey: .file),
            sent: try box.decodeIfPresent(Int64.self, forKey: .bytesSent) ?? 0,
            length: try box.decodeIfPresent(Int64.self, forKey: .bytesToSend))
        response = try box.decodeIfPresent(ResponseFacts.self, forKey: .response)
        exchanges = try box.decodeIfPresent([ExchangeFacts].self, forKey: .exchanges) ?? []
        startedOver = try box.decodeIfPresent(Int.self, forKey: .startedOver) ?? 0
        bytesSpent = try box.decodeIfPresent(Int64.self, forKey: .bytesSpent) ?? bytesReceived
        challenge = try box.decodeIfPresent(PendingChallenge.self, forKey: .challenge)
        notBefore = try box.decodeIfPresent(Date.self, forKey: .notBefore)
        note = try box.decodeIfPresent(ClientNote.self, forKey: .note)
        segments = try box.decodeIfPresent([TransferSegment].self, forKey: .segments) ?? []
    }

    /// Encodes every key, with `null` for absent values, so that scripts need not test for presence.
    package func encode(to encoder: any Encoder) throws {
        var box = encoder.container(keyedBy: CodingKeys.self)
        try box.encode(id, forKey: .id)
        try box.encode(session, forKey: .session)
        try box.encode(url, forKey: .url)
        try box.encode(finalURL, forKey: .finalURL)
        try box.encode(state, forKey: .state)
        try box.encode(reason, forKey: .reason)
        try box.encode(priority, forKey: .priority)
        try box.encode(bytesReceived, forKey: .bytesReceived)
        try box.encode(bytesExpected, forKey: .bytesExpected)
        try box.encode(bytesPerSecond, forKey: .bytesPerSecond)
        try box.encode(destination, forKey: .destination)
        try box.encode(folder, forKey: .folder)
        try box.encode(name, forKey: .name)
        try box.encode(givenName, forKey: .givenName)
        try box.encode(error, forKey: .error)
        try box.encode(attempts, forKey: .attempts)
        try box.encode(nextAttemptAt, forKey: .nextAttemptAt)
        try box.encode(createdAt, forKey: .createdAt)
        try box.encode(startedAt, forKey: .startedAt)
        try box.encode(finishedAt, forKey: .finishedAt)
        try box.encode(rateLimit, forKey: .rateLimit)
        try box.encode(tags, forKey: .tags)
        try box.encode(verified, forKey: .verified)
        try box.encode(mismatched, forKey: .mismatched)
        try box.encode(lengthVerified, forKey: .lengthVerified)
        try box.encode(unchanged, forKey: .unchanged)
        try box.encode(insecure, forKey: .insecure)
        try box.encode(etag, forKey: .etag)
        try box.encode(lastModified, forKey: .lastModified)
        try box.encode(contentType, forKey: .contentType)
        try box.encode(redirects, forKey: .redirects)
        try box.encode(notes, forKey: .notes)
        try box.encode(direction, forKey: .direction)
        try box.encode(file, forKey: .file)
        try box.encode(method, forKey: .method)
        try box.encode(bytesSent, forKey: .bytesSent)
        try box.encode(bytesToSend, forKey: .bytesToSend)
        try box.encode(response, forKey: .response)
        if !exchanges.isEmpty { try box.encode(exchanges, forKey: .exchanges) }
        try box.encode(startedOver, forKey: .startedOver)
        try box.encode(bytesSpent, forKey: .bytesSpent)
        try box.encode(challenge, forKey: .challenge)
        try box.encode(notBefore, forKey: .notBefore)
        try box.encode(note, forKey: .note)
        if !segments.isEmpty { try box.encode(segments, forKey: .segments) }
    }
}

/// The JSON form of a transfer without default values.
extension Transfer {
    /// Omits keys whose value is the default for an absent key.
    package struct Short: Encodable, Sendable {
        private let transfer: Transfer

        package init(_ transfer: Transfer) { self.transfer = transfer }

        package func encode(to encoder: any Encoder) throws {
            var box = encoder.container(keyedBy: CodingKeys.self)
            func put<Value: Encodable & Equatable>(_ value: Value, _ key: CodingKeys, unless usual: Value) throws {
                if value != usual { try box.encode(value, forKey: key) }
            }
            try box.encode(transfer.id, forKey: .id)
            try box.encode(transfer.session, forKey: .session)
            try box.encode(transfer.url, forKey: .url)
            try box.encodeIfPresent(transfer.finalURL, forKey: .finalURL)
            try box.encode(transfer.state, forKey: .state)
            try box.encodeIfPresent(transfer.reason, forKey: .reason)
            try put(transfer.priority, .priority, unless: .normal)
            try box.encode(transfer.bytesReceived, forKey: .bytesReceived)
            try box.encodeIfPresent(transfer.bytesExpected, forKey: .bytesExpected)
            try box.encodeIfPresent(transfer.bytesPerSecond, forKey: .bytesPerSecond)
            try box.encodeIfPresent(transfer.destination, forKey: .destination)
            try put(transfer.folder, .folder, unless: "")
            try box.encodeIfPresent(transfer.name, forKey: .name)
            try box.encodeIfPresent(transfer.givenName, forKey: .givenName)
            try box.encodeIfPresent(transfer.error, forKey: .error)
            try put(transfer.attempts, .attempts, unless: 0)
            try box.encodeIfPresent(transfer.nextAttemptAt, forKey: .nextAttemptAt)
            try box.encode(transfer.createdAt, forKey: .createdAt)
            try box.encodeIfPresent(transfer.startedAt, forKey: .startedAt)
            try box.encodeIfPresent(transfer.finishedAt, forKey: .finishedAt)
            try put(transfer.rateLimit, .rateLimit, unless: 0)
            try put(transfer.tags, .tags, unless: [])
            try put(transfer.verified, .verified, unless: [])
            try put(transfer.mismatched, .mismatched, unless: [])
            try put(transfer.lengthVerified, .lengthVerified, unless: true)
            try put(transfer.unchanged, .unchanged, unless: false)
            try put(transfer.insecure, .insecure, unless: false)
            try box.encodeIfPresent(transfer.etag, forKey: .etag)
            try box.encodeIfPresent(transfer.lastModified, forKey: .lastModified)
            try box.encodeIfPresent(transfer.contentType, forKey: .contentType)
            try put(transfer.redirects, .redirects, unless: [])
            try put(transfer.notes, .notes, unless: [])
            try put(transfer.direction, .direction, unless: .download)
            try box.encodeIfPresent(transfer.file, forKey: .file)
            try put(transfer.method, .method, unless: "GET")
            try put(transfer.bytesSent, .bytesSent, unless: 0)
            try box.encodeIfPresent(transfer.bytesToSend, forKey: .bytesToSend)
            try box.encodeIfPresent(transfer.response, forKey: .response)
            if !transfer.exchanges.isEmpty { try box.encode(transfer.exchanges, forKey: .exchanges) }
            try put(transfer.startedOver, .startedOver, unless: 0)
            try put(transfer.bytesSpent, .bytesSpent, unless: transfer.bytesReceived)
            try box.encodeIfPresent(transfer.challenge, forKey: .challenge)
            try box.encodeIfPresent(transfer.notBefore, forKey: .notBefore)
            try box.encodeIfPresent(transfer.note, forKey: .note)
        }
    }
}
