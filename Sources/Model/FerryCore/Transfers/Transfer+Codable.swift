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
        try self.init(
            box.decode(TransferID.self, forKey: .id), in: box.decode(SessionID.self, forKey: .session),
            url: box.decode(String.self, forKey: .url), state: box.decode(TransferState.self, forKey: .state),
            createdAt: box.decode(Date.self, forKey: .createdAt))
        var reader = Reader(box: box)
        try code(&reader)
        bytesReceived = max(0, bytesReceived)
        bytesExpected = bytesExpected.map { max(0, $0) }
        bytesSpent = max(0, bytesSpent)
    }

    /// Encodes every key, with `null` for absent values, so that scripts need not test for presence.
    package func encode(to encoder: any Encoder) throws {
        var writer = Writer(box: encoder.container(keyedBy: CodingKeys.self), isShort: false)
        var transfer = self
        try transfer.code(&writer)
    }

    /// The JSON form without keys whose value is the default for an absent key, and without segments.
    package struct Short: Encodable, Sendable {
        private let transfer: Transfer

        package init(_ transfer: Transfer) { self.transfer = transfer }

        package func encode(to encoder: any Encoder) throws {
            var writer = Writer(box: encoder.container(keyedBy: CodingKeys.self), isShort: true)
            var transfer = transfer
            transfer.segments = []
            try transfer.code(&writer)
        }
    }

    /// Passes all properties to a coder.
    private mutating func code(_ coder: inout some PropertyCoder) throws {
        try coder.required(&id, .id)
        try coder.required(&session, .session)
        try coder.required(&url, .url)
        try coder.optional(&finalURL, .finalURL)
        try coder.required(&state, .state)
        try coder.optional(&reason, .reason)
        try coder.value(&priority, .priority, usual: .normal)
        try coder.required(&bytesReceived, .bytesReceived)
        try coder.optional(&bytesExpected, .bytesExpected)
        try coder.optional(&bytesPerSecond, .bytesPerSecond)
        try coder.optional(&destination, .destination)
        try coder.value(&folder, .folder, usual: "")
        try coder.optional(&names.chosen, .name)
        try coder.optional(&names.given, .givenName)
        try coder.optional(&error, .error)
        try coder.value(&attempts, .attempts, usual: 0)
        try coder.optional(&times.nextAttempt, .nextAttemptAt)
        try coder.required(&createdAt, .createdAt)
        try coder.optional(&times.start, .startedAt)
        try coder.optional(&times.end, .finishedAt)
        try coder.value(&rateLimit, .rateLimit, usual: 0)
        try coder.value(&tags, .tags, usual: [])
        try coder.value(&verified, .verified, usual: [])
        try coder.value(&mismatched, .mismatched, usual: [])
        try coder.value(&lengthVerified, .lengthVerified, usual: true)
        try coder.value(&unchanged, .unchanged, usual: false)
        try coder.value(&insecure, .insecure, usual: false)
        try coder.optional(&etag, .etag)
        try coder.optional(&lastModified, .lastModified)
        try coder.optional(&contentType, .contentType)
        try coder.value(&redirects, .redirects, usual: [])
        try coder.value(&notes, .notes, usual: [])
        try coder.value(&sending.direction, .direction, usual: .download)
        try coder.optional(&sending.file, .file)
        try coder.value(&method, .method, usual: "GET")
        try coder.value(&sending.sent, .bytesSent, usual: 0)
        try coder.optional(&sending.length, .bytesToSend)
        try coder.optional(&response, .response)
        try coder.list(&exchanges, .exchanges)
        try coder.value(&startedOver, .startedOver, usual: 0)
        try coder.value(&bytesSpent, .bytesSpent, usual: bytesReceived)
        try coder.optional(&challenge, .challenge)
        try coder.optional(&notBefore, .notBefore)
        try coder.optional(&note, .note)
        try coder.list(&segments, .segments)
    }
}

/// Reads or writes the properties of a transfer, one after the other.
private protocol PropertyCoder {
    mutating func required<Value: Codable>(_ value: inout Value, _ key: Transfer.CodingKeys) throws
    /// - Parameter usual: The value for an absent key.
    mutating func value<Value: Codable & Equatable>(
        _ value: inout Value, _ key: Transfer.CodingKeys, usual: Value
    ) throws
    mutating func optional<Value: Codable>(_ value: inout Value?, _ key: Transfer.CodingKeys) throws
    /// A list with a key only if it has elements.
    mutating func list<Element: Codable>(_ value: inout [Element], _ key: Transfer.CodingKeys) throws
}

extension Transfer {
    private struct Reader: PropertyCoder {
        let box: KeyedDecodingContainer<CodingKeys>

        func required<Value: Codable>(_ value: inout Value, _ key: CodingKeys) throws {
            value = try box.decode(Value.self, forKey: key)
        }

        func value<Value: Codable & Equatable>(_ value: inout Value, _ key: CodingKeys, usual: Value) throws {
            value = try box.decodeIfPresent(Value.self, forKey: key) ?? usual
        }

        func optional<Value: Codable>(_ value: inout Value?, _ key: CodingKeys) throws {
            value = try box.decodeIfPresent(Value.self, forKey: key)
        }

        func list<Element: Codable>(_ value: inout [Element], _ key: CodingKeys) throws {
            value = try box.decodeIfPresent([Element].self, forKey: key) ?? []
        }
    }

    private struct Writer: PropertyCoder {
        var box: KeyedEncodingContainer<CodingKeys>
        let isShort: Bool

        mutating func required<Value: Codable>(_ value: inout Value, _ key: CodingKeys) throws {
            try box.encode(value, forKey: key)
        }

        mutating func value<Value: Codable & Equatable>(
            _ value: inout Value, _ key: CodingKeys, usual: Value
        ) throws {
            if !isShort || value != usual { try box.encode(value, forKey: key) }
        }

        mutating func optional<Value: Codable>(_ value: inout Value?, _ key: CodingKeys) throws {
            if isShort {
                try box.encodeIfPresent(value, forKey: key)
            } else {
                try box.encode(value, forKey: key)
            }
        }

        mutating func list<Element: Codable>(_ value: inout [Element], _ key: CodingKeys) throws {
            if !value.isEmpty { try box.encode(value, forKey: key) }
        }
    }
}
